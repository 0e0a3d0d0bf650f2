/* SPDX-License-Identifier: MIT
 *
 * A whole file as text, for a terminal too, and as a Perfetto trace: print fmts, task names and records of any kind. */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "export/perfetto.h"
#include "export/trace_text.h"
#include "fuzz/tracedat_mutator.h"
#include "trace/format/tracedat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	return tracedat_mutate(data, size, max_size, seed);
}

/* format: 0 text, 1 text with nanoseconds for a terminal, 2 Perfetto */
static void export_as(int format, struct input *input)
{
	struct sched_stream *stream;
	struct output_stream sink;
	struct error err = {0};
	uint64_t events;

	if ((format < 2 ? sched_stream_open_any : sched_stream_open)(&input->trace, "fuzz", &stream, &err) != STATUS_OK)
		return;
	if (output_stream_open(&sink, "/dev/null", &err) != STATUS_OK)
		abort();
	enum status status = format < 2
				 ? trace_text_write(input, stream, format, &sink, &events, &err)
				 : perfetto_write(&(struct perfetto_request){.inputs = input, .count = 1}, &sink, &err);
	if (status != STATUS_OK && err.what[0] == '\0')
		abort();
	/* A terminal gets nothing that could steer it. */
	if (format == 1)
		escape_buffer(&sink.pending);
	for (size_t i = 0; format == 1 && i < sink.pending.length; i++) {
		uint8_t byte = (uint8_t)sink.pending.data[i];
		if (byte == 0x7f || (byte < ' ' && byte != '\n' && byte != '\t'))
			abort();
	}
	output_stream_discard(&sink);
	sched_stream_close(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {.name = "fuzz"};

	if (tracedat_parse(data, size, "fuzz", &input.trace, NULL) != STATUS_OK)
		return 0;
	for (int format = 0; format < 3; format++)
		export_as(format, &input);
	tracedat_free(&input.trace);
	return 0;
}
