/* SPDX-License-Identifier: MIT
 *
 * Which members of a trace and its metadata are compared, and which differ. */
#include "measure/trace_identity.h"

#include "support/unit.h"

#define RELEASE "6.12.95+deb12-amd64"

static struct quality_finding judge(const char *kernel, uint64_t events, const struct trace_identity *trace)
{
	const struct run run = {
	    .id = "a_run0", .path = "a_run0.dat", .metadata = {.host.kernel = kernel, .events = events}};
	struct quality_finding finding;

	trace_identity_judge(&run, trace, &finding);
	assert_string_equal(finding.name, "metadata");
	assert_int_equal(finding.count, finding.grade == QUALITY_BAD);
	assert_int_equal(finding.remedy[0] != '\0', finding.grade == QUALITY_BAD);
	return finding;
}

static void check_good(const char *kernel, uint64_t events, const struct trace_identity *trace, const char *text)
{
	const struct quality_finding finding = judge(kernel, events, trace);

	assert_int_equal(finding.grade, QUALITY_GOOD);
	assert_string_equal(finding.text, text);
}

static void check_bad(const char *kernel, uint64_t events, const struct trace_identity *trace, const char *text)
{
	const struct quality_finding finding = judge(kernel, events, trace);

	assert_int_equal(finding.grade, QUALITY_BAD);
	assert_string_equal(finding.text, text);
}

static const struct trace_identity whole = {"Linux " RELEASE " x86_64", 70, true},
				   part = {"Linux " RELEASE " x86_64", 7, false}, nameless = {"", 70, true},
				   text = {NULL, 70, true};

TEST(the_finding_says_what_was_compared)
{
	check_good(RELEASE, 70, &whole, "kernel and number of events match the trace");
	check_good(RELEASE, 0, &whole, "the kernel matches the trace; the number of events is unknown");
	check_good(RELEASE, 70, &part, "the kernel matches the trace; events of a part are not compared");
	check_good(NULL, 70, &whole, "the number of events matches the trace; the kernel is unknown");
	check_good("", 70, &nameless, "the number of events matches the trace; the kernel is unknown");
	check_good(NULL, 0, &whole, "they have neither kernel nor events to compare with this trace");
	check_good(NULL, 70, &part, "they have neither kernel nor events to compare with this trace");
	check_good("6.1.0", 71, &text, "they have neither kernel nor events to compare with this trace");
}

TEST(another_kernel_or_number_of_events_is_bad)
{
	check_bad("6.1.0", 70, &whole,
		  "not the trace that a_run0.json describes: its kernel is " RELEASE ", not 6.1.0");
	check_bad("6.1.0", 70, &part, "not the trace that a_run0.json describes: its kernel is " RELEASE ", not 6.1.0");
	check_bad(RELEASE, 71, &whole, "not the trace that a_run0.json describes: it has 70 events, not 71");
	check_bad(NULL, 71, &nameless, "not the trace that a_run0.json describes: it has 70 events, not 71");
}

TEST(a_bad_one_is_an_error_that_names_the_trace)
{
	const struct run run = {.id = "a_run0", .path = "a_run0.dat", .metadata = {.events = 71}};
	struct error err;

	assert_int_equal(trace_identity_check(&run, &part, &err), STATUS_OK);
	assert_int_equal(trace_identity_check(&run, &whole, &err), STATUS_LOST);
	assert_string_equal(err.where, "a_run0.dat");
	assert_non_null(strstr(err.remedy, "restore"));
}
