/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "support/unit.h"
#include "trace/format/probe_format.h"

#define COMMON                                                                                                         \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                                         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                                         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                                 \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
#define REAL_TIME  "\tfield:unsigned char common_preempt_lazy_count;\toffset:8;\tsize:1;\tsigned:0;\n"
#define IP(offset) "\n\tfield:unsigned long __probe_ip;\toffset:" offset ";\tsize:8;\tsigned:0;\n"
#define FIELD(type, name, offset, size, sign)                                                                          \
	"\tfield:" type " " name ";\toffset:" offset ";\tsize:" size ";\tsigned:" sign ";\n"
#define PRINTS(names) "\nprint fmt: \"(%lx) pid=%d\", REC->__probe_ip" names "\n"
#define PID           FIELD("s32", "pid", "16", "4", "1")
#define LOAD          FIELD("u64", "load", "20", "8", "0")

static enum status check(const char *fields, uint32_t *length, struct error *err)
{
	struct event_format format;
	char text[2048];

	snprintf(text, sizeof(text), "name: keys_x\nID: 1\nformat:\n%s", fields);
	assert_int_equal(
	    event_format_parse((struct text_span){text, strlen(text)}, (struct text_span){"x", 1}, &format, NULL),
	    STATUS_OK);
	return probe_format_check(&format, length, err);
}

TEST(whole_formats_have_a_length)
{
	uint32_t length;

	assert_int_equal(check(COMMON IP("8") PID LOAD PRINTS(", REC->pid, REC->load"), &length, NULL), STATUS_OK);
	assert_int_equal(length, 28);
	assert_int_equal(
	    check(COMMON REAL_TIME IP("16") FIELD("u16", "cpu", "24", "2", "0") PRINTS(", REC->cpu"), &length, NULL),
	    STATUS_OK);
	assert_int_equal(length, 26);
	/* At the return of a function. */
	assert_int_equal(check(COMMON FIELD("unsigned long", "__probe_func", "8", "8", "0")
				   FIELD("unsigned long", "__probe_ret_ip", "16", "8", "0")
				       FIELD("u16", "cpu", "24", "2", "0") "\nprint fmt: \"(%lx <- %lx) cpu=%u\", "
									   "REC->__probe_func, REC->__probe_ret_ip, "
									   "REC->cpu\n",
			       &length, NULL),
			 STATUS_OK);
	assert_int_equal(length, 26);
}

TEST(damaged_formats_are_named_with_the_field)
{
	static const struct {
		const char *fields, *named;
	} damaged[] = {
	    /* another width than the type's, or sign */
	    {COMMON IP("8") FIELD("s32", "pid", "16", "2", "1") PRINTS(", REC->pid"), "field pid"},
	    {COMMON IP("8") FIELD("s32", "pid", "16", "4", "0") PRINTS(", REC->pid"), "field pid"},
	    {COMMON IP("8") FIELD("long", "pid", "16", "8", "1") PRINTS(", REC->pid"), "field pid"},
	    {COMMON IP("8") FIELD("s32", "pid[2]", "16", "4", "1") PRINTS(", REC->pid"), "field pid"},
	    /* over another one, or a gap */
	    {COMMON IP("8") FIELD("s32", "pid", "12", "4", "1") PRINTS(", REC->pid"), "field pid"},
	    {COMMON IP("8") FIELD("s32", "pid", "20", "4", "1") PRINTS(", REC->pid"), "field pid"},
	    {COMMON IP("4") PRINTS(""), "field __probe_ip"},
	    {COMMON IP("16") PRINTS(""), "field __probe_ip"},
	    /* the first, one of them, the last is missing, another name, one too many */
	    {COMMON PID PRINTS(", REC->pid"), "field __probe_ip"},
	    {COMMON IP("8") LOAD PRINTS(", REC->pid, REC->load"), "field pid"},
	    {COMMON IP("8") PID PRINTS(", REC->pid, REC->load"), "field load"},
	    {COMMON IP("8") FIELD("s32", "pix", "16", "4", "1") PRINTS(", REC->pid"), "field pid"},
	    {COMMON IP("8") PID LOAD PRINTS(", REC->pid"), "field load"},
	    {COMMON IP("8") PID, "field __probe_ip"},
	    {COMMON IP("8") "\tfield:s32 pid;\toffset:;\n" PRINTS(", REC->pid"), "pid"},
	};
	struct error err;
	uint32_t length;

	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
		assert_int_equal(check(damaged[i].fields, &length, &err), STATUS_CORRUPT);
		assert_non_null(strstr(err.what, damaged[i].named));
	}
}
