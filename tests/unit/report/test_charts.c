/* SPDX-License-Identifier: MIT
 *
 * Charts: texts, ticks and scales worked out by hand; every kind of chart with nothing, with one thing, with far too
 * much, and with values that are no numbers: what comes out is well-formed, bounded, and stays within its view. */
#include <ctype.h>
#include <math.h>

#include "base/escape.h"
#include "report/chart/svg.h"
#include "support/unit.h"

/* So much may a chart be, in bytes. */
#define BYTES_MAX 102400u

static struct buffer out;

static struct chart_text text_of(const char *text)
{
	return (struct chart_text){text, strlen(text)};
}

/* --- What is well-formed --- */

static const char *skip_name(const char *at)
{
	while (isalnum((unsigned char)*at) || *at == '-' || *at == ':')
		at++;
	return at;
}

static void check_entity(const char *at)
{
	static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
	bool is_known = false;

	for (size_t i = 0; i < 5; i++)
		is_known = is_known || strncmp(at, known[i], strlen(known[i])) == 0;
	assert_true(is_known);
}

/* Attributes of an element, each once and quoted; returns where it ends. */
static const char *check_attributes(const char *at)
{
	while (*at == ' ') {
		const char *name = ++at;
		at = skip_name(at);
		assert_true(at > name);
		assert_memory_equal(at, "=\"", 2);
		for (at += 2; *at != '"'; at++) {
			assert_true(*at && *at != '<');
			if (*at == '&')
				check_entity(at);
		}
		at++;
	}
	return at;
}

/* Elements are closed in their order; text has neither control characters nor anything that is no UTF-8. */
static void assert_well_formed(const char *at)
{
	const char *open[16];
	size_t depth = 0;
	size_t roots = 0;

	while (*at) {
		if (*at == '<' && at[1] == '/') {
			assert_true(depth > 0);
			const char *name = open[--depth];
			size_t length = (size_t)(skip_name(name) - name);
			assert_memory_equal(at + 2, name, length);
			assert_int_equal(at[2 + length], '>');
			at += length + 3;
		} else if (*at == '<') {
			const char *name = at + 1;
			at = check_attributes(skip_name(name));
			roots += depth == 0;
			assert_true(at > name && depth < 16);
			if (*at == '/')
				at++;
			else
				open[depth++] = name;
			assert_int_equal(*at++, '>');
		} else {
			size_t length = utf8_sequence(at, strlen(at));
			assert_true(length > 0);
			assert_true((unsigned char)*at >= 32 || (*at == '\n' && depth == 0));
			assert_true(memcmp(at, "\xef\xbf\xbe", 3) != 0 && memcmp(at, "\xef\xbf\xbf", 3) != 0);
			if (*at == '&')
				check_entity(at);
			at += length;
		}
	}
	assert_int_equal(depth, 0);
	assert_int_equal(roots, 1);
}

static size_t count_of(const char *what)
{
	size_t count = 0;

	for (const char *at = out.data; (at = strstr(at, what)); at++)
		count++;
	return count;
}

/* Texts begin within the view. */
static void assert_within(void)
{
	double width;
	double height;
	const char *view = strstr(out.data, "viewBox=\"0 0 ");

	assert_non_null(view);
	assert_int_equal(sscanf(view, "viewBox=\"0 0 %lf %lf\"", &width, &height), 2);
	for (const char *at = view; (at = strstr(at, "<text x=\"")); at++) {
		double x;
		double y;
		assert_int_equal(sscanf(at, "<text x=\"%lf\" y=\"%lf\"", &x, &y), 2);
		assert_true(x >= 0 && x <= width && y >= 0 && y <= height);
	}
}

static struct chart begin(void)
{
	buffer_clear(&out);
	return (struct chart){&out, "c-1", "A & B", "What <it> shows", false, false};
}

static void check(void)
{
	assert_true(out.length < BYTES_MAX);
	assert_int_equal(strlen(out.data), out.length);
	assert_null(strstr(out.data, "nan"));
	assert_null(strstr(out.data, "inf"));
	assert_well_formed(out.data);
	assert_within();
	assert_non_null(strstr(out.data, " role=\"img\" aria-labelledby=\"c-1-t c-1-d\""));
	assert_non_null(
	    strstr(out.data, "<title id=\"c-1-t\">A &amp; B</title><desc id=\"c-1-d\">What &lt;it&gt; shows"));
}

/* --- Texts --- */

static void assert_escaped(const char *bytes, size_t length, const char *expected)
{
	buffer_clear(&out);
	chart_escape(&out, bytes, length);
	assert_string_equal(out.length ? out.data : "", expected);
}

TEST(names_become_harmless)
{
	char many[1000];

	assert_escaped("", 0, "");
	assert_escaped("<b>&\"'", 6, "&lt;b&gt;&amp;&quot;&#39;");
	assert_escaped("a\0b\n\t\x1b[2J\x7f", 10, "a\\x00b\\x0a\\x09\\x1b[2J\\x7f");
	assert_escaped("\xff\xc3", 2, "\\xff\\xc3");
	assert_escaped("\xc3\xa9\xe2\x82\xac", 5, "\xc3\xa9\xe2\x82\xac");
	assert_escaped("\xed\xa0\x80", 3, "\\xed\\xa0\\x80"); /* half of a surrogate pair */
	assert_escaped("x\xef\xbf\xbey\xef\xbf\xbf", 8, "x\xef\xbf\xbdy\xef\xbf\xbd");
	/* Longer than a piece; a sequence lies over the border. */
	for (size_t shift = 0; shift < 4; shift++) {
		memset(many, 'a', sizeof(many));
		for (size_t at = 100 + shift; at + 4 <= sizeof(many); at += 4)
			memcpy(many + at, "\xf0\x9f\x90\xa7", 4);
		buffer_clear(&out);
		size_t length = 100 + shift + 4 * 200;
		chart_escape(&out, many, length);
		assert_int_equal(out.length, length);
		assert_memory_equal(out.data, many, length);
	}
}

TEST(long_texts_are_cut)
{
	assert_int_equal(svg_characters(text_of("caf\xc3\xa9")), 4);
	assert_int_equal(svg_characters(text_of("a\xff\x01")), 9);
	buffer_clear(&out);
	svg_text(&out, 1, 2, "s", text_of("kworker/u8:2"), svg_middle(12));
	svg_text(&out, 1.25, -2, "s", text_of("kworker/u8:2"), svg_middle(8));
	svg_text(&out, 1, 2, "s", text_of("ab\xff\xff\xff"), svg_middle(8));
	assert_string_equal(out.data, "<text x=\"1\" y=\"2\" class=\"s\">kworker/u8:2</text>"
				      "<text x=\"1.3\" y=\"-2\" class=\"s\">kwor\xe2\x80\xa6"
				      "8:2</text>"
				      "<text x=\"1\" y=\"2\" class=\"s\">ab\\x\xe2\x80\xa6xff</text>");
}

TEST(labels_that_differ_stay_different)
{
	static const char *const labels[] = {"linux-6.12.95-base-with-preempt-full-amd64-build",
					     "linux-6.12.95-next-with-preempt-full-amd64-build",
					     "linux-6.12.95-last-with-preempt-full-amd64-build"};
	struct chart_interval rows[3];
	char texts[3][SHORTEN_SIZE];

	for (size_t i = 0; i < 3; i++)
		rows[i] = (struct chart_interval){text_of(labels[i]), 1, 0, 2, 'd'};
	const struct shortening by = svg_shortening((struct svg_texts){rows, sizeof(*rows), 3}, 26);
	assert_true(by.width >= 26 && by.width <= 34);
	for (size_t i = 0; i < 3; i++)
		shorten(labels[i], by, texts[i]);
	assert_string_not_equal(texts[0], texts[1]);
	assert_string_not_equal(texts[1], texts[2]);
	/* Those that fit are not shortened. */
	assert_int_equal(svg_shortening((struct svg_texts){rows, sizeof(*rows), 3}, 60).width, strlen(labels[0]));
}

static void assert_value(double value, enum chart_unit unit, const char *expected)
{
	char text[40];

	svg_value(value, unit, text, sizeof(text));
	for (char *space; (space = strstr(text, "\xc2\xa0"));)
		memmove(space, space + 1, strlen(space)), *space = ' ';
	assert_string_equal(text, expected);
}

TEST(values_have_units)
{
	assert_value(0, CHART_NS, "0 ns");
	assert_value(1, CHART_NS, "1 ns");
	assert_value(999, CHART_NS, "999 ns");
	assert_value(1000, CHART_NS, "1 \xc2\xb5s");
	assert_value(16240, CHART_NS, "16.2 \xc2\xb5s");
	assert_value(166700000, CHART_NS, "167 ms");
	assert_value(2.5e9, CHART_NS, "2.5 s");
	assert_value(0.123, CHART_SHARE, "12.3 %");
	assert_value(1, CHART_SHARE, "100 %");
	assert_value(0.00123, CHART_SHARE, "0.12 %");
	assert_value(9999, CHART_NUMBER, "9999");
	assert_value(10000, CHART_NUMBER, "10k");
	assert_value(1.25e6, CHART_NUMBER, "1.2M");
	assert_value(0.25, CHART_NUMBER, "0.25");
	assert_value(3e13, CHART_NUMBER, "30T");
}

/* --- Scales --- */

static void assert_ticks(const struct svg_scale *scale, unsigned int wanted, const char *expected)
{
	double ticks[SVG_TICKS_MAX];
	unsigned int count = svg_ticks(scale, wanted, ticks);
	char line[512] = "";
	char text[40];

	for (unsigned int i = 0; i < count; i++) {
		svg_tick(scale, ticks[i], count > 1 ? ticks[1] - ticks[0] : 0, text, sizeof(text));
		snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s%s", i ? "|" : "", text);
	}
	for (char *space; (space = strstr(line, "\xc2\xa0"));)
		memmove(space, space + 1, strlen(space)), *space = ' ';
	assert_string_equal(line, expected);
}

static struct svg_scale scale_of(enum chart_unit unit, bool is_log, double from, double to)
{
	const struct chart_axis axis = {"", unit, is_log};

	return svg_scale_make(&axis, from, to, 0, 100);
}

TEST(ticks_are_round)
{
	struct svg_scale scale = scale_of(CHART_NUMBER, false, 0, 47);

	assert_ticks(&scale, 5, "0|10|20|30|40|50");
	scale = scale_of(CHART_SHARE, false, 0, 1);
	assert_ticks(&scale, 5, "0 %|20 %|40 %|60 %|80 %|100 %");
	scale = scale_of(CHART_NS, false, 0, 1.2e9);
	assert_ticks(&scale, 6, "0 s|0.2 s|0.4 s|0.6 s|0.8 s|1.0 s|1.2 s");
	scale = scale_of(CHART_NUMBER, false, -3, 3);
	assert_ticks(&scale, 6, "-3|-2|-1|0|1|2|3");
	/* A window that begins late: neighbours are told apart. */
	scale = (struct svg_scale){1.3001e9, 1.3021e9, 0, 100, false, CHART_NS};
	assert_ticks(&scale, 4, "1.3005 s|1.3010 s|1.3015 s|1.3020 s");
	scale = scale_of(CHART_NUMBER, false, 0, 23000);
	assert_ticks(&scale, 4, "0|10k|20k");
	scale = scale_of(CHART_NS, true, 1500, 4e7);
	assert_ticks(&scale, 9, "1 \xc2\xb5s|10 \xc2\xb5s|100 \xc2\xb5s|1 ms|10 ms|100 ms");
	assert_ticks(&scale, 3, "10 \xc2\xb5s|1 ms|100 ms");
	/* More than there is room for. */
	scale = (struct svg_scale){0, 300, 0, 100, true, CHART_NUMBER};
	double ticks[SVG_TICKS_MAX];
	assert_int_equal(svg_ticks(&scale, 1000, ticks), SVG_TICKS_MAX);
}

TEST(places_lie_on_the_scale)
{
	struct svg_scale scale = scale_of(CHART_NUMBER, false, 0, 10);

	assert_float_equal(svg_place(&scale, 2.5), 25, 1e-9);
	assert_float_equal(svg_place(&scale, -7), 0, 1e-9);
	assert_float_equal(svg_place(&scale, 1e300), 100, 1e-9);
	scale = scale_of(CHART_NS, true, 10, 1000);
	assert_float_equal(svg_place(&scale, 100), 50, 1e-9);
	assert_float_equal(svg_place(&scale, 0), 0, 1e-9);
	assert_float_equal(svg_place(&scale, -5), 0, 1e-9);
	/* One value, or none: there is a scale all the same. */
	scale = scale_of(CHART_NUMBER, false, 5, 5);
	assert_true(scale.to > scale.from);
	scale = scale_of(CHART_NUMBER, false, -1e308, 1e308);
	assert_ticks(&scale, 2, "-1000000T|0|1000000T");
	scale = scale_of(CHART_NS, true, 0, 0);
	assert_true(scale.to > scale.from);
	scale = scale_of(CHART_NS, true, 1000, 1000);
	assert_true(scale.to > scale.from);
	/* Turned round, as y axes are. */
	const struct chart_axis axis = {"", CHART_SHARE, false};
	scale = svg_scale_make(&axis, 0, 1, 200, 100);
	assert_float_equal(svg_place(&scale, 0.25), 175, 1e-9);
}

/* --- Charts --- */

static const struct chart_axis latency = {"latency", CHART_NS, true};
static const struct chart_axis share = {"share", CHART_SHARE, false};
static const struct chart_axis number = {"number", CHART_NUMBER, false};

TEST(lines_of_anything)
{
	enum { MANY = 30, POINTS = 50000 };
	static const double one_x[] = {1500}, one_y[] = {1};
	static const double odd_x[] = {0, -1, NAN, 10, INFINITY, 100}, odd_y[] = {0.1, 0.2, 0.3, NAN, 1, 1};
	struct chart_series series[MANY] = {{.name = text_of("one"), .x = one_x, .y = one_y, .count = 1},
					    {.name = text_of("odd"), .colour = 1, .x = odd_x, .y = odd_y, .count = 6}};
	struct chart chart = begin();

	chart_lines(&chart, &latency, &share, false, NULL, 0);
	check();
	assert_non_null(strstr(out.data, "nothing to draw"));
	chart = begin();
	chart_lines(&chart, &latency, &share, true, series, 2);
	check();
	assert_null(strstr(out.data, "nothing to draw"));
	/* One point of the second can be drawn. */
	assert_int_equal(count_of("class=\"l l1\" d=\"M"), 2);
	double *x = calloc(POINTS, sizeof(*x));
	double *y = calloc(POINTS, sizeof(*y));
	assert_true(x && y);
	for (size_t i = 0; i < POINTS; i++) {
		x[i] = (double)i * 1e5;
		y[i] = (double)(i * 7919 % 1000);
	}
	for (size_t i = 0; i < MANY; i++)
		series[i] = (struct chart_series){.name = text_of("a rather long name of a kernel, longer than shown"),
						  .colour = (unsigned int)i % CHART_COLOURS,
						  .x = x,
						  .y = y,
						  .count = POINTS,
						  .mark_x = {1e5, 4e9},
						  .mark_y = {5, 999},
						  .mark = {"p50", "p99"}};
	chart = begin();
	chart_lines(&chart, &number, &number, true, series, MANY);
	check();
	free(x);
	free(y);
}

TEST(timelines_of_anything)
{
	enum { MANY = 200000, CPUS = 64 };
	static const unsigned int colours[] = {0, 1, 8};
	const struct chart_text names[] = {text_of("one"), text_of("<two>"), text_of("three")};
	const struct chart_slice odd[] = {
	    {0, UINT64_MAX, 0, 0, 3}, {5, 5, 0, 1, 0}, {9, 3, 0, 1, 0}, {100, 900, 7, 1, 1}, {100, 900, 0, 99, 1},
	};
	uint32_t cpus[CPUS];
	struct chart chart = begin();

	for (uint32_t i = 0; i < CPUS; i++)
		cpus[i] = i;
	chart_timeline(
	    &chart, &(struct chart_timeline){0, 1000, cpus, 2, NULL, 0, names, colours, 0, {0}, NULL, 0, NULL, 0, {0}});
	check();
	assert_int_equal(count_of(">CPU "), 2);
	chart = begin();
	chart_timeline(&chart, &(struct chart_timeline){
				   100, 1000, cpus, 2, odd, 5, names, colours, 3, {0}, NULL, 0, NULL, 0, {0}});
	check();
	chart = begin();
	chart_timeline(&chart,
		       &(struct chart_timeline){5, 5, cpus, 2, odd, 5, names, colours, 3, {0}, NULL, 0, NULL, 0, {0}});
	assert_int_equal(out.length, 0);
	struct chart_slice *slices = calloc(MANY, sizeof(*slices));
	assert_non_null(slices);
	for (uint32_t i = 0; i < MANY; i++)
		slices[i] = (struct chart_slice){i / CPUS * 10, i / CPUS * 10 + 9, i % CPUS, i * 7 % 3, i % 4};
	chart = begin();
	chart_timeline(
	    &chart, &(struct chart_timeline){
			0, MANY / CPUS * 10, cpus, CPUS, slices, MANY, names, colours, 3, {0}, NULL, 0, NULL, 0, {0}});
	check();
	assert_int_equal(count_of(">CPU "), 32);
	free(slices);
}

/* Slices of two tasks of one name are two bars; two slices of one task, or what is too short to be seen, are one. */
TEST(timeline_parts_tasks_of_one_name)
{
	static const unsigned int colours[] = {2};
	static const uint32_t cpus[] = {0};
	const struct chart_text names[] = {text_of("alpha")};
	const struct chart_slice slices[] = {{0, 400000, 0, 0, 0},
					     {400000, 600000, 0, 0, CHART_ANOTHER},
					     {600000, 601000, 0, 0, CHART_ANOTHER},
					     {601000, 1000000, 0, 0, CHART_ANOTHER},
					     {1000000, 1200000, 0, 0, 0}};
	struct chart chart = begin();

	chart_timeline(&chart, &(struct chart_timeline){
				   0, 1200000, cpus, 1, slices, 5, names, colours, 1, {0}, NULL, 0, NULL, 0, {0}});
	check();
	const char *bars = strstr(out.data, "<path class=\"f2\" d=\"M58 ");
	assert_non_null(bars);
	const char *const end = strchr(bars, '>');
	unsigned int count = 0;
	for (const char *at = bars; at < end; at++)
		count += *at == 'M';
	assert_int_equal(count, 3);
}

/* Two rows: one task, then another; a name where it has room; where two lie in one place it is hatched. */
TEST(timeline_shows_who_ran)
{
	static const unsigned int colours[] = {2, 4};
	static const uint32_t cpus[] = {0, 3};
	const struct chart_text names[] = {text_of("alpha"), text_of("beta")};
	const struct chart_slice slices[] = {{0, 500000, 0, 0, 0},
					     {500000, 500100, 3, 0, 0},
					     {500100, 500200, 3, 1, CHART_MOVED},
					     {500000, 1000000, 0, 1, CHART_WOKEN}};
	struct chart chart = begin();

	chart_timeline(&chart, &(struct chart_timeline){
				   0, 1000000, cpus, 2, slices, 4, names, colours, 2, {0}, NULL, 0, NULL, 0, {0}});
	check();
	assert_int_equal(count_of(">alpha<"), 2);
	assert_int_equal(count_of(">beta<"), 2);
	assert_int_equal(count_of("url(#c-1-h)"), 1);
	assert_int_equal(count_of(">woken<"), 1);
	assert_int_equal(count_of(">came from another CPU<"), 1);
	assert_int_equal(count_of(">CPU 3<"), 1);
	assert_non_null(strstr(out.data, "<path class=\"f2\" d=\"M58 "));
	assert_non_null(strstr(out.data, "<path class=\"f4\" d=\"M502 "));
	/* The legend has the signs that are drawn, and no others. */
	assert_int_equal(count_of(">several, too short to show<"), 1);
	assert_int_equal(count_of(">the wait<"), 0);
	chart = begin();
	chart_timeline(&chart, &(struct chart_timeline){0,
							1000000,
							cpus,
							2,
							slices,
							1,
							names,
							colours,
							2,
							{.cpu = 3, .start_ns = 250000, .end_ns = 500000},
							NULL,
							0,
							NULL,
							0,
							{0}});
	check();
	assert_int_equal(count_of(">the wait<"), 1);
	assert_int_equal(count_of(">woken<") + count_of(">several, too short to show<"), 0);
	/* A quarter of 888 units from 58 on, beneath the row of CPU 3. */
	assert_int_equal(count_of("class=\"f1\" d=\"M280 "), 1);
	assert_int_equal(count_of("h222v3h-222z"), 1);
}

/* A note belongs to its part of its row, and is shown under the pointer or after a touch; a chart alone has none. */
TEST(notes_are_at_their_switch)
{
	static const unsigned int colours[] = {2};
	static const uint32_t cpus[] = {0, 3};
	const struct chart_text names[] = {text_of("alpha")};
	const struct chart_slice slices[] = {{0, 500000, 0, 0, 0}};
	const struct chart_note notes[] = {{0, 250000, 3, "picks <alpha>\nalpha  1024"},
					   {250000, 500000, 9, "elsewhere"}};
	const struct chart_timeline timeline = {0, 1000000, cpus, 2, slices, 1, names, colours,
						1, {0},     NULL, 0, notes,  2, {0}};
	struct chart chart = begin();

	chart_timeline(&chart, &timeline);
	check();
	/* The first quarter of the second row. */
	assert_int_equal(count_of("<g class=\"k\" tabindex=\"-1\"><path d=\"M58 "), 1);
	assert_int_equal(count_of("h222v30h-222z\"/><text class=\"kt\">"), 1);
	assert_int_equal(count_of(">picks &lt;alpha&gt;</tspan>"), 1);
	assert_int_equal(count_of(">alpha  1024</tspan>"), 1);
	assert_int_equal(count_of("elsewhere"), 0);
	assert_int_equal(count_of("shown up to"), 0);
	chart = begin();
	chart.alone = true;
	chart_timeline(&chart, &timeline);
	assert_int_equal(count_of("picks"), 0);
}

/* A curve has its row below those of CPUs: steps, a dot at a marked point, a larger one at a strong one. */
TEST(curve_is_below_the_rows)
{
	static const unsigned int colours[] = {2};
	static const uint32_t cpus[] = {0};
	const struct chart_text names[] = {text_of("alpha")};
	const struct chart_slice slices[] = {{0, 500000, 0, 0, 0}};
	const struct chart_point points[] = {
	    {0, -2e6, false, false}, {250000, 0, true, false}, {500000, 2e6, true, true}, {500001, 1e6, false, false}};
	struct chart_timeline timeline = {.to_ns = 1000000,
					  .cpus = cpus,
					  .cpu_count = 1,
					  .slices = slices,
					  .slice_count = 1,
					  .names = names,
					  .colours = colours,
					  .name_count = 1,
					  .curve = {"lag of <alpha>", points, 4}};
	struct chart chart = begin();

	chart_timeline(&chart, &timeline);
	check();
	assert_int_equal(count_of(">lag of &lt;alpha&gt;<"), 1);
	/* 888 wide from 58 on; the last point is too near to the one before. */
	assert_int_equal(count_of("<path class=\"l l0\" d=\"M58 "), 1);
	assert_int_equal(count_of("H280V"), 1);
	assert_int_equal(count_of("H502V"), 1);
	assert_int_equal(count_of("class=\"f1\" d=\"M280 "), 1);
	assert_int_equal(count_of("class=\"f3\" d=\"M502 "), 1);
	assert_int_equal(count_of(">another one is picked<"), 1);
	assert_int_equal(count_of(">against the rule<"), 1);
	assert_non_null(strstr(out.data, "class=\"d s r\">-")); /* a value below 0 */
	/* All values are 0. */
	chart = begin();
	timeline.curve.count = 1;
	timeline.curve.points = &(struct chart_point){0, 0, false, false};
	chart_timeline(&chart, &timeline);
	check();
}

TEST(notes_that_are_left_out_are_mentioned)
{
	enum { MANY = 2000 };
	static const unsigned int colours[] = {2};
	static const uint32_t cpus[] = {0};
	static struct chart_note notes[MANY];
	const struct chart_text names[] = {text_of("alpha")};
	const struct chart_slice slices[] = {{0, 500000, 0, 0, 0}};
	const struct chart_timeline timeline = {0, MANY, cpus, 1, slices, 1,    names, colours,
						1, {0},  NULL, 0, notes,  MANY, {0}};
	struct chart chart = begin();

	for (uint64_t i = 0; i < MANY; i++)
		notes[i] = (struct chart_note){i, i + 1, 0, "1.234567 s, CPU 0: picks alpha\nthe only candidate"};
	chart_timeline(&chart, &timeline);
	check();
	const size_t drawn = count_of("<g class=\"k\"");
	assert_in_range(drawn, 200, MANY / 2);
	char hint[80];
	snprintf(hint, sizeof(hint), "(shown up to %.6f s of the window).<", (double)(drawn - 1) / 1e9);
	assert_int_equal(count_of(hint), 1);
}

TEST(intervals_of_anything)
{
	enum { MANY = 1000 };
	struct chart_interval rows[MANY] = {
	    {text_of("a"), 10, 5, 15, 'b'},
	    {text_of("b"), NAN, NAN, NAN, 'f'},
	    {text_of("c"), -100, -INFINITY, INFINITY, 'w'},
	    {text_of("d"), 1e300, -200, NAN, 'd'},
	    {text_of("e"), 0, 0, 0, '?'},
	};
	struct chart chart = begin();

	chart_intervals(&chart, "change", rows, 0);
	check();
	chart = begin();
	chart_intervals(&chart, "change", rows, 1);
	check();
	assert_non_null(strstr(out.data, ">+10\xc2\xa0%<"));
	assert_non_null(strstr(out.data, ">better<"));
	assert_null(strstr(out.data, ">worse<"));
	chart = begin();
	chart_intervals(&chart, "change", rows, 5);
	check();
	for (size_t i = 0; i < MANY; i++)
		rows[i] = (struct chart_interval){text_of("a metric's name, long as can be"), (double)i, -3, 4e3, 'd'};
	chart = begin();
	chart_intervals(&chart, "change", rows, MANY);
	check();
}

/* Where the label is, and its class. */
static double label_x(const char *label, char style[16])
{
	const char *text = strstr(out.data, label), *element = text;
	double x;

	assert_non_null(text);
	while (strncmp(element, "<text", 5) != 0)
		element--;
	assert_int_equal(sscanf(element, "<text x=\"%lf\" y=\"%*f\" class=\"%15[^\"]", &x, style), 2);
	return x;
}

/* Whichever series comes first: the line on the left has its label on its left, in its colour. */
TEST(labels_stand_at_their_lines)
{
	static const double left_x[] = {1e4, 1e5}, right_x[] = {1e6, 1e7}, y[] = {0, 1};
	const struct chart_series left = {.name = text_of("left"),
					  .colour = 1,
					  .x = left_x,
					  .y = y,
					  .count = 2,
					  .mark_x = {5e4, -1},
					  .mark_y = {.5},
					  .mark = {"p50"}};
	const struct chart_series right = {.name = text_of("right"),
					   .colour = 0,
					   .x = right_x,
					   .y = y,
					   .count = 2,
					   .mark_x = {5e6, -1},
					   .mark_y = {.5},
					   .mark = {"p50"}};
	const struct chart_series orders[2][2] = {{left, right}, {right, left}};
	char style[16];

	for (int i = 0; i < 2; i++) {
		struct chart chart = begin();
		chart_lines(&chart, &latency, &share, true, orders[i], 2);
		check();
		/* From 10 us at 46 to 10 ms at 388, so 50 us are at 125.7, 5 ms at 353.7. */
		assert_true(label_x("p50 50", style) < 125.7 - 50);
		assert_string_equal(style, "s a f1");
		assert_true(label_x("p50 5\xc2\xa0ms", style) > 310);
		assert_string_equal(style, "s a f0");
	}
}

static int free_output(void **state)
{
	buffer_free(&out);
	return 0;
}

TESTS_WITH(NULL, free_output)
