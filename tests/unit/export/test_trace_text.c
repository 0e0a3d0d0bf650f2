/* SPDX-License-Identifier: MIT
 *
 * The columns of the kernel's text, task names out of saved_cmdlines, and events. */
#include "export/event_text.h"
#include "export/task_names.h"
#include "export/trace_columns.h"
#include "support/kernel_texts.h"
#include "support/unit.h"
#include "trace/format/kernel_name.h"

static void assert_flags(uint8_t flags, uint8_t preempt_count, bool has_lazy, const char *expected)
{
	char text[6] = {0};

	trace_flags_text(flags, preempt_count, has_lazy, text);
	assert_string_equal(text, expected);
}

TEST(test_flags)
{
	assert_flags(0, 0, true, ".....");
	assert_flags(0x01, 2, true, "d..2.");
	assert_flags(0x81, 0, true, "D....");
	assert_flags(0x80, 0, true, "b....");
	assert_flags(0x02, 0, false, "X....");
	assert_flags(0x02, 0, true, ".l...");
	assert_flags(0x04, 0, true, ".n...");
	assert_flags(0x20, 0, true, ".p...");
	assert_flags(0x24, 0, true, ".N...");
	assert_flags(0x06, 0, true, ".b...");
	assert_flags(0x22, 0, true, ".L...");
	assert_flags(0x26, 0, true, ".B...");
	assert_flags(0x08, 0, true, "..h..");
	assert_flags(0x10, 0, true, "..s..");
	assert_flags(0x18, 0, true, "..H..");
	assert_flags(0x40, 0, true, "..z..");
	assert_flags(0x48, 0, true, "..Z..");
	assert_flags(0, 0xa0, true, "....a");
	assert_flags(0xff, 0xff, true, "DBZff");
}

static void assert_columns(const struct trace_columns *columns, bool nanoseconds, const char *expected)
{
	struct buffer out = {0};

	trace_columns_add(columns, true, nanoseconds, &out);
	assert_string_equal(out.data, expected);
	assert_int_equal(out.length, strlen(expected));
	buffer_free(&out);
}

TEST(test_columns)
{
	struct trace_columns columns = {SPAN("bash"), 4524, 0, 0x01, 2, 5553104474499};

	assert_columns(&columns, false, "            bash-4524    [000] d..2.  5553.104474: ");
	assert_columns(&columns, true, "            bash-4524    [000] d..2.  5553.104474499: ");
	columns.ts_ns++;
	assert_columns(&columns, false, "            bash-4524    [000] d..2.  5553.104475: ");
	columns.ts_ns = 1999999999500;
	assert_columns(&columns, false, "            bash-4524    [000] d..2.  2000.000000: ");
	columns = (struct trace_columns){SPAN("fifteen bytes !!"), 12345678, 1234, 0, 0, 123456000000000};
	assert_columns(&columns, false, "fifteen bytes !!-12345678 [1234] ..... 123456.000000: ");
	columns = (struct trace_columns){SPAN(""), INT32_MIN, 7, 0, 0, UINT64_MAX};
	assert_columns(&columns, false, "                --2147483648 [007] ..... 18446744073.709552: ");
}

static void assert_name(const struct task_names *names, int32_t pid, const char *expected)
{
	struct text_span name = task_names_find(names, pid);

	assert_int_equal(name.length, strlen(expected));
	assert_memory_equal(name.text, expected, name.length);
}

TEST(test_task_names)
{
	struct task_names names;

	task_names_parse(SPAN("12 bash\n7 two\nlines\n8 \nlead\n9 trail\n\n10  b\n11 \n4194304 most\n"
			      "12 later\n0 zero\n4194305 more\n99999999999 x\n"),
			 &names);
	assert_name(&names, 12, "bash");
	assert_name(&names, 7, "two\nlines");
	assert_name(&names, 8, "\nlead");
	assert_name(&names, 9, "trail\n");
	assert_name(&names, 10, " b");
	assert_name(&names, 11, "");
	assert_name(&names, 4194304, "most");
	assert_name(&names, 4194305, "<...>");
	assert_name(&names, 0, "<idle>");
	assert_name(&names, -1, "<XXX>");
	assert_name(&names, 13, "<...>");
	task_names_free(&names);
	task_names_parse(SPAN(""), &names);
	assert_name(&names, 1, "<...>");
	task_names_free(&names);
	task_names_parse(SPAN("5 a\nvery\nlong\nname\nof\nlines\n"), &names);
	assert_name(&names, 5, "a\nvery\nlong\nnam");
	task_names_free(&names);
	task_names_parse(SPAN("5 longer than the kernel keeps\nand on\n6 b\n"), &names);
	assert_name(&names, 5, "longer than the");
	assert_name(&names, 6, "b");
	task_names_free(&names);
}

TEST(test_kernel_name)
{
	struct kernel_name name;

	kernel_name_parse("Linux 6.1.0-50-amd64 x86_64", &name);
	assert_string_equal(name.system, "Linux");
	assert_string_equal(name.release, "6.1.0-50-amd64");
	assert_string_equal(name.machine, "x86_64");
	assert_int_equal(name.major, 6);
	assert_int_equal(name.minor, 1);
	kernel_name_parse("Linux host7 6.18.44 x86_64\n", &name);
	assert_string_equal(name.release, "6.18.44");
	assert_string_equal(name.machine, "x86_64");
	assert_int_equal(name.minor, 18);
	kernel_name_parse("", &name);
	assert_string_equal(name.system, "");
	kernel_name_parse("what is this", &name);
	assert_string_equal(name.release, "");
	assert_string_equal(name.machine, "");
	assert_int_equal(name.major, 0);
}

#define NAMED_FORMAT(name, fields, print)                                                                              \
	"name: " name "\nID: 7\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" fields  \
	"\nprint fmt: " print "\n"
#define FORMAT(fields, print) NAMED_FORMAT("event", fields, print)
#define FIELD(type_and_name, offset, size, is_signed)                                                                  \
	"\tfield:" type_and_name ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #is_signed ";\n"

static void assert_event(struct text_span text, const char *system, const void *record, size_t length,
			 const char *expected)
{
	struct event_format format;
	struct event_text *event;
	struct buffer out = {0};
	const struct ring_record ring_record = {.data = record, .length = (uint32_t)length};

	assert_int_equal(event_format_parse(text, (struct text_span){system, strlen(system)}, &format, NULL),
			 STATUS_OK);
	event = event_text_compile(&format);
	for (int i = 0; i < 2; i++) { /* the second time from what was kept */
		buffer_clear(&out);
		event_text_add(event, &ring_record, &out);
		assert_string_equal(out.data, expected);
	}
	event_text_free(event);
	buffer_free(&out);
}

TEST(test_known_events)
{
	/* 6.1; newer kernels lack vruntime */
	static const char runtime[] =
	    NAMED_FORMAT("sched_stat_runtime",
			 FIELD("char comm[8]", 8, 8, 0) FIELD("pid_t pid", 4, 4, 1) FIELD("u64 runtime", 16, 8, 0)
			     FIELD("u64 vruntime", 24, 8, 0),
			 "\"comm=%s pid=%d runtime=%Lu [ns] vruntime=%Lu [ns]\", REC->comm, REC->pid, (unsigned long "
			 "long)REC->runtime, (unsigned long long)REC->vruntime");
	static const char waking[] =
	    NAMED_FORMAT("sched_waking", FIELD("char comm[8]", 8, 8, 0) FIELD("int target_cpu", 4, 4, 1),
			 "\"comm=%s target_cpu=%03d\", REC->comm, REC->target_cpu");
	struct {
		uint16_t type;
		int32_t number;
		char name[8];
		uint64_t runtime, vruntime;
	} record = {7, -5, "na\nme", 0xfedcba9876543210, 17};

	assert_event(SPAN(runtime), "sched", &record, sizeof(record),
		     "sched_stat_runtime: comm=na\nme pid=-5 runtime=18364758544493064720 [ns] vruntime=17 [ns]");
	assert_event(SPAN(waking), "sched", &record, sizeof(record), "sched_waking: comm=na\nme target_cpu=-05");
	record.number = 12;
	assert_event(SPAN(waking), "sched", &record, sizeof(record), "sched_waking: comm=na\nme target_cpu=012");
	record.number = 1234;
	assert_event(SPAN(waking), "sched", &record, sizeof(record), "sched_waking: comm=na\nme target_cpu=1234");
	assert_event(SPAN(waking), "other", &record, sizeof(record), "sched_waking: comm=na\nme target_cpu=1234");
	/* A record that is too short holds zeros, and is not read behind its end. */
	uint8_t *short_record = test_malloc(6);
	memcpy(short_record, &record, 6);
	assert_event(SPAN(runtime), "sched", short_record, 6,
		     "sched_stat_runtime: comm= pid=0 runtime=0 [ns] vruntime=0 [ns]");
	test_free(short_record);
}

TEST(test_states)
{
	const struct {
		uint16_t type;
		uint8_t flags, preempt_count;
		int32_t common_pid;
		char prev_comm[16];
		int32_t prev_pid, prev_prio;
		uint64_t prev_state;
		char next_comm[16];
		int32_t next_pid, next_prio;
	} record = {1, 0, 0, 1, "a b", 9, 120, 0x102, "sixteen letters!", 10, 98};

	assert_event(SPAN(SWITCH_FORMAT), "sched", &record, sizeof(record),
		     "sched_switch: prev_comm=a b prev_pid=9 prev_prio=120 prev_state=D+ ==> "
		     "next_comm=sixteen letters! next_pid=10 next_prio=98");
}

TEST(test_fields_of_other_events)
{
	static const struct {
		uint16_t type;
		uint8_t byte, letter;
		int32_t number;
		uint64_t wide;
		char name[8];
	} record = {7, 0xfe, 'x', -5, 0xfedcba9876543210, "na\nme"};
	static const char fields[] =
	    FORMAT(FIELD("u8 byte", 2, 1, 0) FIELD("char letter", 3, 1, 0) FIELD("int number", 4, 4, 1)
		       FIELD("u64 wide", 8, 8, 0) FIELD("char name[8]", 16, 8, 0),
		   "\"byte %d\", REC->byte");

	assert_event(SPAN(fields), "x", &record, sizeof(record),
		     "event: byte=254 letter=120 number=-5 wide=18364758544493064720 name=na\nme");
	uint8_t *short_record = test_malloc(6);
	memcpy(short_record, &record, 6);
	assert_event(SPAN(fields), "x", short_record, 6, "event: byte=254 letter=120 number=0 wide=0 name=");
	test_free(short_record);
}

TEST(test_unknown_print_format)
{
	static const char *const prints[] = {"\"number=%x\", REC->number",
					     "\"number=%u\", REC->number",
					     "\"number=%-5d\", REC->number",
					     "\"other=%d\", REC->other",
					     "\"=%d\", REC->number",
					     "\"%d\", REC->number",
					     "\"number=%s\", REC->number",
					     "\"name=%d\", REC->name",
					     "\"number=%d\\n\", REC->number",
					     "\"number=%d %%\", REC->number",
					     "\"number=%d %",
					     ""};
	const uint8_t record[] = {7, 0, 0,    0,    0xff, 0xff, 0xff, 0xff, 16, 0,
				  3, 0, 0xde, 0xad, 0xbe, 0xef, 'a',  'b',  0,  0};

	for (size_t i = 0; i < sizeof(prints) / sizeof(*prints); i++) {
		char format[1024];
		int length = snprintf(format, sizeof(format),
				      NAMED_FORMAT("sched_waking",
						   FIELD("int number", 4, 4, 1) FIELD("__data_loc char[] name", 8, 4, 0)
						       FIELD("u8 raw[4]", 12, 4, 0),
						   "%s"),
				      prints[i]);
		assert_event((struct text_span){format, (size_t)length}, "sched", record, sizeof(record),
			     "sched_waking: number=-1 name=ab raw=deadbeef");
	}
}

TEST(test_located_name)
{
	const struct {
		uint16_t type;
		uint8_t flags, preempt_count;
		int32_t common_pid;
		uint32_t location;
		int32_t pid, prio, from, to;
		char name[4];
	} record = {ID_MIGRATE_LOCATED, 0, 0, 1, 28 | 4u << 16, 9, 120, 0, 3, "abc"};

	assert_event(SPAN(MIGRATE_FORMAT_LOCATED), "sched", &record, sizeof(record),
		     "sched_migrate_task: comm=abc pid=9 prio=120 orig_cpu=0 dest_cpu=3");
	/* A location behind the record gives an empty name. */
	uint32_t bad = 0xfffffff0;
	uint8_t copy[sizeof(record)];
	memcpy(copy, &record, sizeof(copy));
	memcpy(copy + 8, &bad, sizeof(bad));
	assert_event(SPAN(MIGRATE_FORMAT_LOCATED), "sched", copy, sizeof(copy),
		     "sched_migrate_task: comm= pid=9 prio=120 orig_cpu=0 dest_cpu=3");
}

TEST(test_mark)
{
	static const char format[] = "name: print\nID: 5\nformat:\n" FIELD("unsigned short common_type", 0, 2, 0)
	    FIELD("unsigned long ip", 8, 8, 0)
		FIELD("char buf[]", 16, 0, 0) "\nprint fmt: \"%ps: %s\", (void *)REC->ip, "
					      "REC->buf\n";
	const char record[] = "\5\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0a mark\n\0x";

	assert_event(SPAN(format), "ftrace", record, sizeof(record), "tracing_mark_write: a mark");
}
