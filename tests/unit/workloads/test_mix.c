/* SPDX-License-Identifier: MIT
 *
 * The words of mixes: what is read, what is written again, what is refused. */
#include "support/unit.h"
#include "workloads/mix_tasks.h"
#include "workloads/rows.h"

TEST(words_are_read)
{
	struct mix mix;
	struct error err = {0};
	const char *words =
	    "for 2s; group a weight=200; group a/b quota=5ms/20ms burst=2ms; 4 burn nice=-5 cpus=0+2-3;"
	    " tick run=1ms every=5ms jitter=20% policy=batch group=a/b; 2 rt policy=rr run=10us sleep=2ms;"
	    " one churn; two churn=2 signals=100us memory=4 clamp=200/1024";

	assert_int_equal(mix_parse(words, "mix", &mix, &err), STATUS_OK);
	assert_float_equal(mix.seconds, 2, 0);
	assert_int_equal(mix.tasks, 9);
	assert_int_equal(mix.groups[0].weight, 200);
	assert_int_equal(mix.groups[1].weight, 100);
	assert_int_equal(mix.groups[1].quota_ns, 5000000);
	assert_int_equal(mix.groups[1].period_ns, 20000000);
	assert_int_equal(mix.groups[1].burst_ns, 2000000);
	assert_int_equal(mix.groups[1].parent, 0);
	assert_int_equal(mix.roles[0].count, 4);
	assert_int_equal(mix.roles[0].nice, -5);
	assert_int_equal(CPU_COUNT(&mix.roles[0].cpus), 3);
	assert_true(mix_role_only_computes(&mix.roles[0]));
	assert_int_equal(mix.roles[1].run_ns, 1000000);
	assert_int_equal(mix.roles[1].every_ns, 5000000);
	assert_int_equal(mix.roles[1].jitter_percent, 20);
	assert_int_equal(mix.roles[1].policy, MIX_BATCH);
	assert_int_equal(mix.roles[1].in_group, 1);
	assert_int_equal(mix.roles[2].priority, 1);
	assert_int_equal(mix.roles[2].first_task, 5);
	assert_int_equal(mix.roles[3].churn, 1);
	assert_int_equal(mix.roles[4].churn, 2);
	assert_int_equal(mix.roles[4].signal_ns, 100000);
	assert_int_equal(mix.roles[4].memory_mb, 4);
	assert_int_equal(mix.roles[4].clamp_min, 200);
	assert_int_equal(mix.roles[4].clamp_max, 1024);
}

static void check_again(const struct mix *mix)
{
	struct buffer text = {0}, again = {0};
	struct mix read;
	struct error err = {0};

	mix_write(mix, &text);
	assert_null(strchr(text.data, ','));
	assert_int_equal(mix_parse(text.data, "mix", &read, &err), STATUS_OK);
	mix_write(&read, &again);
	assert_string_equal(again.data, text.data);
	assert_memory_equal(&read, mix, sizeof(read));
	buffer_free(&text);
	buffer_free(&again);
}

TEST(each_row_is_read_and_written)
{
	for (size_t i = 0; mixes_at(i); i++) {
		const struct workload *workload = mixes_at(i);
		assert_true(workload->mix->role_count > 0 && workload->tasks == workload->mix->tasks);
		check_again(workload->mix);
	}
}

TEST(a_ring_has_one_start)
{
	struct mix mix;

	assert_int_equal(mix_parse("1 s wake=a; 1 a run=1ms wake=b; 1 b run=1ms wake=a", "mix", &mix, NULL), STATUS_OK);
	assert_true(!mix.roles[0].starts && mix.roles[1].starts && !mix.roles[2].starts);
	assert_true(!mix.roles[0].is_woken && mix.roles[1].is_woken && mix.roles[2].is_woken);
}

TEST(wrong_words_are_named)
{
	static const struct {
		const char *words, *named;
	} wrong[] = {
	    {"", "needs a role"},
	    {"4", "name of a role"},
	    {"0 burn", "'0'"},
	    {"257 burn", "'257'"},
	    {"200 a; 57 b", "257 tasks"},
	    {"1 a; 1 a", "'a' is given twice"},
	    {"1 a rum=1ms", "'rum'"},
	    {"1 a run=1", "'run=1'"},
	    {"1 a run=0ms", "1us to 100s"},
	    {"1 a run=1ms run=2ms", "given twice"},
	    {"1 a nice=20", "-20 to 19"},
	    {"1 a policy=fair", "fifo"},
	    {"1 a churn=0", "1 to 64"},
	    {"1 a signals", "10us to 10s"},
	    {"1 a cpus=x", "'cpus=x'"},
	    {"1 a memory=0", "1 to 256"},
	    {"1 a clamp=3", "min/max"},
	    {"1 a clamp=3/2", "min/max"},
	    {"1 a clamp=0/1025", "min/max"},
	    {"1 abcdefghijklmnop", "15"},
	    {"1 a sleep=1ms every=1ms", "mutually exclusive"},
	    {"1 a priority=3", "policy=fifo"},
	    {"1 a policy=rr nice=3", "nice needs"},
	    {"1 a policy=deadline budget=1ms", "budget and every"},
	    {"1 a policy=deadline budget=3ms every=2ms", "budget <= deadline"},
	    {"1 a wake=b", "no other role"},
	    {"1 a wake=a", "no other role"},
	    {"1 a child=1ms", "child needs forks"},
	    {"1 a group=g", "no group 'g'"},
	    {"group g/h; 1 a", "parent"},
	    {"group g; group g/h; 1 a group=g", "only one of them"},
	    {"group g quota=5ms; 1 a", "5ms/20ms"},
	    {"group g quota=5ms/20ms burst=6ms; 1 a", "exceed quota"},
	    {"group 1g; 1 a", "'1g'"},
	    {"for 0s; 1 a", "10ms to 1000s"},
	    {"name a b; 1 a", "'a'"},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct mix mix;
		struct error err = {0};
		assert_int_equal(mix_parse(wrong[i].words, "mix", &mix, &err), STATUS_USAGE);
		if (!strstr(err.what, wrong[i].named))
			fail_msg("'%s': %s", wrong[i].words, err.what);
	}
	char long_words[MIX_TEXT_MAX + 2];
	struct mix mix;
	memset(long_words, ' ', sizeof(long_words) - 1);
	long_words[sizeof(long_words) - 1] = '\0';
	assert_int_equal(mix_parse(long_words, "mix", &mix, NULL), STATUS_USAGE);
}

static enum status read_file(const char *text, struct mix *mix, struct error *err)
{
	return mix_parse_file(text, strlen(text), "dir/web.mix", mix, err);
}

TEST(files_are_read)
{
	struct mix mix;
	struct error err = {0};

	assert_int_equal(read_file("# two roles; no more\n4 burn # hogs\n\n1 nap run=1ms sleep=1ms\n", &mix, &err),
			 STATUS_OK);
	assert_string_equal(mix.label, "web");
	assert_int_equal(mix.role_count, 2);
	assert_int_equal(read_file("name own; 4 burn", &mix, &err), STATUS_OK);
	assert_string_equal(mix.label, "own");
}
