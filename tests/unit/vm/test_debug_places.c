/* SPDX-License-Identifier: MIT
 *
 * Questions to gdb and its answers: gdb 13 on a program with an inlined function. */
#include "support/unit.h"
#include "vm/kernel/debug_places.h"

static struct source_place places[] = {
    {.function = "lag", .file = "a.c", .line = 5},  {.function = "lag", .file = "a.c", .line = 7},
    {.function = "place", .file = "", .line = 0},   {.function = "absent", .file = "", .line = 0},
    {.function = "", .file = "sched.h", .line = 3},
};
static const struct source_change change = {.places = places, .count = 5};

static void assert_asked(const struct arguments *command, const char *const *words, size_t count)
{
	size_t found = 0;

	for (size_t i = 0; i < command->count; i++)
		if (strncmp(command->items[i], "info ", 5) == 0 || strncmp(command->items[i], "break ", 6) == 0) {
			assert_true(found < count);
			assert_string_equal(command->items[i], words[found++]);
		}
	assert_int_equal(found, count);
	assert_string_equal(command->items[command->count - 1], "/tree/vmlinux");
}

TEST(asks_each_function_and_line_once)
{
	static const char *const words[] = {"info line lag", "info line place", "info line absent", "break a.c:5",
					    "break a.c:7",   "break sched.h:3", "info breakpoints"};
	struct arguments command = {0};

	debug_places_command(&change, "/tree/vmlinux", &command);
	assert_asked(&command, words, sizeof(words) / sizeof(words[0]));
	arguments_free(&command);
}

static void read_both(const char *text, const char *symbols, struct debug_places *found)
{
	*found = (struct debug_places){.lines = 0};
	debug_places_read(&change, text, strlen(text), found);
	debug_places_read_symbols(&change, symbols, strlen(symbols), found);
}

TEST(reads_what_gdb_prints)
{
	static const char *const words[] = {"info symbol 0x1145", "info symbol 0x1162"};
	struct debug_places found;
	struct arguments command = {0};

	read_both("\n@picknext 0\n"
		  "Line 4 of \"a.c\" starts at address 0x115d <dequeue+13> and ends at 0x1162 <dequeue+18>.\n"
		  "Line 4 of \"a.c\" starts at address 0x1140 <place> and ends at 0x1145 <place+5>.\n"
		  "\n@picknext 2\n"
		  "Line 9 of \"a.c\" starts at address 0x1140 <place+1> and ends at 0x1145 <place+5>.\n"
		  "\n@picknext 3\n"
		  "Function \"absent\" not defined.\n"
		  "\n@picknext 5\n"
		  "Breakpoint 1 at 0x1145: a.c:5. (2 locations)\n"
		  "Breakpoint 2 at 0x114e: file kernel/a.c, line 11.\n"
		  "Num     Type           Disp Enb Address            What\n"
		  "1       breakpoint     keep y   <MULTIPLE>         \n"
		  "1.1                         y   0x0000000000001145 in lag at kernel/a.c:5\n"
		  "1.2                         y   0x0000000000001162 in lag at a.c:5\n"
		  "2       breakpoint     keep y   0x000000000000114e in place at kernel/a.c:11\n"
		  "3       breakpoint     keep y   0x000000000000114f in place at kernel/aa.c:5\n",
		  "\n@picknext 0\nplace + 5 in section .text\n\n@picknext 1\ndequeue in section .text\n", &found);
	assert_string_equal(found.words.data, "lag@dequeue+13,lag@place,place,absent,a.c:5@place+5,a.c:5@dequeue");
	assert_int_equal(found.count, 6);
	assert_int_equal(found.lines, 2);
	assert_int_equal(found.inlined.count, 1);
	assert_string_equal(found.inlined.items[0], "lag() is inlined into dequeue, place");
	debug_places_symbols_command(&found, "/tree/vmlinux", &command);
	assert_asked(&command, words, sizeof(words) / sizeof(words[0]));
	arguments_free(&command);
	debug_places_free(&found);
}

/* The file that gdb reads may come from others. */
TEST(takes_no_harmful_answer)
{
	static const char *const texts[] = {
	    "",
	    "Line 5 of \"a.c\" starts at address 0x1 <place+5> and ends\n",
	    "\n@picknext 99\nLine 5 of \"a.c\" starts at address 0x1 <place+5> and ends\n",
	    "\n@picknext x\n@picknext\n@picknext ",
	    "\n@picknext 18446744073709551615\n@picknext 99999999999999999999\n",
	    "\n@picknext 5\n1.1 y 0x1145 in lag at a.c:x\n1.1 y 0x in lag at a.c:5\n1.1 y 0x1 in lag at :5\n",
	    "\n@picknext 5\n 0x1 at :5\n at a.c:5\n 0x1\n 0x1 at a.c:\n",
	};
	static const char *const symbols[] = {"",
					      "\n@picknext 0\na,b in section .text\n",
					      "\n@picknext 0\n9a in section .text\n",
					      "\n@picknext 7\na in section .text\n",
					      "a in section .text\n",
					      "\n@picknext 0\nNo symbol matches 0x1.\n"};
	struct debug_places found;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		read_both(texts[i], "\n@picknext 0\na in section .text\n", &found);
		assert_int_equal(found.words.length, 0);
		assert_int_equal(found.inlined.count, 0);
		debug_places_free(&found);
	}
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		read_both("\n@picknext 5\n1.1 y 0x1145 in lag at a.c:5\n", symbols[i], &found);
		assert_int_equal(found.address_count, 1);
		assert_int_equal(found.words.length, 0);
		debug_places_free(&found);
	}
}
