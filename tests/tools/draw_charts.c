/* SPDX-License-Identifier: MIT
 *
 * draw_charts DIRECTORY: every kind of chart with made-up data, each into DIRECTORY/NAME.svg, for tests and for eyes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/chart/chart.h"

static const char *directory;
static struct buffer out;

static struct chart begin(const char *name)
{
	struct chart chart = {.out = &out, .description = "Made-up data that show how it looks.", .alone = true};

	buffer_clear(&out);
	snprintf(chart.id, sizeof(chart.id), "%s", name);
	snprintf(chart.title, sizeof(chart.title), "%s", name);
	return chart;
}

static void end(const char *name)
{
	char path[4096];
	struct error err;

	snprintf(path, sizeof(path), "%s/%s.svg", directory, name);
	if (file_replace(path, out.data, out.length, &err) != STATUS_OK) {
		fprintf(stderr, "draw_charts: cannot write %s\n", path);
		exit(1);
	}
}

static uint32_t seed = 1;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

#define POINTS 200

static void lines(const char *name, bool is_time, size_t count)
{
	static double x[3][POINTS];
	static double y[3][POINTS];
	struct chart_series series[3] = {{.name = chart_string("6.1.0-50-amd64")},
					 {.name = chart_string("6.12.95+deb12-amd64"), .colour = 1},
					 {.name = chart_string("<script>alert(1)</script> \xff\x01&\"'"), .colour = 2}};
	const struct chart_axis x_axis = {is_time ? "time since the first event" : "wakeup latency", CHART_NS,
					  !is_time};
	const struct chart_axis y_axis = {is_time ? "tasks" : "share of waits that are shorter",
					  is_time ? CHART_NUMBER : CHART_SHARE, false};
	struct chart chart = begin(name);

	for (size_t s = 0; s < count; s++) {
		for (size_t i = 0; i < POINTS; i++) {
			double share = (double)i / (POINTS - 1);
			x[s][i] = is_time ? share * 1.3e9 : pow(10, 3.2 + (double)s * 0.4 + 4 * share * share);
			y[s][i] = is_time ? draw(40) + 10.0 * (double)s : share;
		}
		series[s].x = x[s];
		series[s].y = y[s];
		series[s].count = POINTS;
		if (!is_time) {
			series[s].mark[0] = "p50";
			series[s].mark[1] = "p99";
			series[s].mark_x[0] = x[s][POINTS / 2];
			series[s].mark_y[0] = 0.5;
			series[s].mark_x[1] = x[s][POINTS * 99 / 100];
			series[s].mark_y[1] = 0.99;
		}
	}
	chart_lines(&chart, &x_axis, &y_axis, is_time, series, count);
	end(name);
}

static void bars(const char *name, bool normal)
{
	struct chart_text parts[] = {chart_string("running"), chart_string("waiting after wakeup"),
				     chart_string("waiting after preemption"), chart_string("asleep"),
				     chart_string("uninterruptible")};
	const unsigned int colours[] = {0, 1, 2, 3, 8};
	struct chart_bar rows[6];
	double values[6 * 5];
	const struct chart_axis axis = {normal ? "share of the tasks' time" : "time", normal ? CHART_SHARE : CHART_NS,
					false};
	struct chart chart = begin(name);

	for (size_t i = 0; i < 6; i++) {
		rows[i] = (struct chart_bar){chart_string(i % 2 ? "6.12.95+deb12-amd64" : "6.1.0-50-amd64"),
					     (unsigned int)i / 2};
		for (size_t k = 0; k < 5; k++)
			values[i * 5 + k] = draw(1000000000);
	}
	chart_bars(&chart, &axis, normal, rows, 6, parts, colours, 5, values);
	end(name);
}

static void timeline(void)
{
	static struct chart_slice slices[900];
	static const uint32_t cpus[] = {0, 1, 2};
	struct chart_text names[] = {chart_string("hackbench-send"),
				     chart_string("hackbench-recv"),
				     chart_string("kworker/0:1"),
				     chart_string("rcu_preempt"),
				     chart_string("picknext-lead"),
				     chart_string("a"),
				     chart_string("b"),
				     chart_string("c"),
				     chart_string("<b>d</b>"),
				     chart_string("e")};
	static const unsigned int colours[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 8};
	struct chart chart = begin("timeline");

	for (uint32_t cpu = 0; cpu < 3; cpu++) {
		uint64_t at = 100000000;
		for (size_t i = 0; i < 300; i++) {
			uint64_t length = draw(20) ? draw(120000) : draw(4000000);
			slices[cpu * 300 + i] = (struct chart_slice){at, at + length, cpu, draw(10), (uint8_t)draw(4)};
			at += length + draw(2) * draw(30000);
		}
	}
	chart_timeline(&chart, &(struct chart_timeline){
				   100000000, 120000000, cpus, 3, slices, 900, names, colours, 10, {0}, NULL, 0});
	end("timeline");
}

static void matrix(const char *name, size_t count)
{
	uint32_t *labels = calloc(count, sizeof(*labels));
	uint64_t *values = calloc(count * count, sizeof(*values));
	struct chart chart = begin(name);

	for (size_t i = 0; i < count * count; i++)
		values[i] = i / count == i % count ? 0 : draw(3) * draw(3000);
	for (uint32_t i = 0; i < count; i++)
		labels[i] = i;
	chart_matrix(&chart, "from CPU", "to CPU", labels, count, values);
	end(name);
	free(labels);
	free(values);
}

static void intervals(void)
{
	const struct chart_interval rows[] = {
	    {chart_string("throughput"), 123.4, 100, 160, 'b'},
	    {chart_string("switches"), -55, -60, -52, 'd'},
	    {chart_string("wakeup latency p99"), 1.2, -8, 9, 'u'},
	    {chart_string("waiting while a CPU idles"), 4000, 900, INFINITY, 'w'},
	    {chart_string("fairness (Jain)"), -1, NAN, NAN, 'f'},
	    {chart_string("migrations: pull"), NAN, NAN, NAN, 'f'},
	};
	struct chart chart = begin("intervals");

	chart_intervals(&chart, "change from 6.1.0-50-amd64, with its 95 % interval", rows, 6);
	end("intervals");
}

static void history(void)
{
	const struct chart_point points[] = {
	    {100, 95, 107, 101},  {103, 99, 104, 101},  {NAN, NAN, NAN, 101}, {101, 101, 101, 101},
	    {140, 120, 151, 139}, {138, NAN, NAN, 139}, {80, 70, 82, 80},
	};
	const struct chart_change changes[] = {{4, chart_string("6.12-rc1 <b>")},
					       {6, chart_string("a commit with a long name")}};
	const struct chart_axis y = {"us", CHART_NUMBER, false};
	struct chart chart = begin("history");

	chart_history(&chart, "set, in the order given", &y, points, 7, changes, 2);
	end("history");
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	directory = argv[1];
	lines("curves", false, 3);
	lines("steps", true, 2);
	lines("empty", false, 0);
	bars("shares", true);
	bars("times", false);
	timeline();
	matrix("matrix", 2);
	matrix("matrix-16", 16);
	matrix("matrix-40", 40);
	intervals();
	history();
	buffer_free(&out);
	return 0;
}
