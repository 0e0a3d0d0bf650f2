/* SPDX-License-Identifier: MIT */
#include "data/predict/predict.h"

#include <inttypes.h>
#include <stddef.h>

#include "base/interrupt.h"
#include "base/message.h"
#include "cmd/commands.h"
#include "print/predict_print.h"

struct values {
	bool json, csv, as_kerneloracle, baselines_only;
	const char *output;
};

static const struct option options[] = {
    OPTION(struct values, json, "json", .help = "write JSON instead of a table"),
    OPTION(struct values, csv, "csv", .help = "write CSV instead of a table"),
    OPTION(struct values, output, "output", .letter = 'o', .argument = "FILE",
	   .help = "write to FILE instead of standard output", .fallback = "-"),
    OPTION(struct values, baselines_only, "baselines",
	   .help = "only constant, majority and last successor: faster, above all with decisions"),
    OPTION(struct values, as_kerneloracle, "as-kerneloracle",
	   .help = "predict raw PIDs, with every PID that train.csv lacks as class 0,\nwhich the constant answers"),
    {.name = NULL},
};

static int run(const struct call *call)
{
	const struct values *values = call->values;
	const struct predict_request request = {
	    .directory = call->operands.items[0],
	    .as_kerneloracle = values->as_kerneloracle,
	    .baselines_only = values->baselines_only,
	};
	struct predict_result result = {.kind = PREDICT_SWITCHES};
	struct error err = {0};
	enum status status = STATUS_OK;

	interrupt_catch();
	if (values->json && values->csv)
		status = error_set(&err, STATUS_USAGE, "--json", "and --csv are mutually exclusive");
	if (status == STATUS_OK)
		status = predict_run(&request, &result, &err);
	if (status == STATUS_OK)
		status = predict_print(&result, values->json, values->csv, values->output, &err);
	if (status == STATUS_OK)
		message_info("%" PRIu64 " rows of train.csv, %" PRIu64
			     " of the tests, in %.2f s (%.1f million rows per "
			     "second)",
			     result.train_rows, result.rows, result.elapsed_s,
			     (double)(result.train_rows + result.rows) / result.elapsed_s / 1e6);
	predict_result_free(&result);
	return status == STATUS_OK ? 0 : message_error(&err);
}

const struct command command_predict = {
    .name = "predict",
    .summary = "accuracy of simple predictors: what a model has to beat",
    .operands = "DIR",
    .operands_min = 1,
    .operands_max = 1,
    .details =
	"Reads the dataset that picknext build wrote to DIR. The predictors learn train.csv; then they predict\n"
	"test_seen.csv and test_unseen.csv. Targets are the next name; of decisions (build --task decision) also the\n"
	"next role, and which candidate was chosen.\n\n"
	"constant is the most frequent target; majority the same with the frequencies as probabilities;\n"
	"last_successor what followed the previous task last (the only one that goes on learning in the tests);\n"
	"markov1 to markov3 use the last targets of the machine, or of the CPU (_cpu), and back off to shorter\n"
	"contexts; they begin anew with each trace, whose rows follow each other, as build writes them. ppm_c\n"
	"is prediction by partial matching, method C, order 3. Of decisions, these choose the candidate whose role\n"
	"they think most probable, and there are policies: uniform (any candidate alike), longest_waiting,\n"
	"least_runtime, highest_priority, cfs_rule (least CPU time by weight) and eevdf_rule (of those with at most\n"
	"the mean of it the earliest deadline). A trace has no vruntime: both rules see the CPU time in the trace\n"
	"alone.\n\n"
	"top-1 and top-5: share of rows whose target is the first, or among the first five answers. log-loss: mean\n"
	"-ln of the target's probability, at most 27.6 a row; all targets that are not in train.csv share one.\n"
	"calibration error: mean distance between a predictor's own probability and its accuracy (ECE, ten bins).\n"
	"unseen: share of rows whose target is not in train.csv. ns: CPU time a row, without reading it; a question\n"
	"that rows repeat is answered once for all of them. Rows with \"choice\" had more than one candidate. JSON\n"
	"and CSV have each workload, and macro, the mean over workloads.\n\n"
	"If the decisions are of several schedulers, a second table (in JSON and CSV the part \"tests\") has what was\n"
	"learnt from the rows of one in train.csv and is used for those of another, with a choice, in both tests:\n"
	"CFS for EEVDF, and the other way round. It is of at most 8 schedulers. picknext report --dataset DIR shows\n"
	"both tables and charts on a page.",
    .examples = "  picknext predict set                        # the dataset in set/\n"
		"  picknext predict --json -o predict.json set # with each workload\n"
		"  picknext predict --as-kerneloracle traces   # raw PIDs as classes",
    .options = options,
    .values_size = sizeof(struct values),
    .run = run,
};
