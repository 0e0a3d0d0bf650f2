/* SPDX-License-Identifier: MIT */
#include "rules/fair_server.h"

/* So much of its runtime is certainly left: it is charged by another clock. */
#define SERVED_MAX_NS (FAIR_RUNTIME_NS * 4 / 5)

void fair_server_come(struct fair_server *server, uint64_t now_ns)
{
	if (server->left_ns && !server->came_ns)
		server->came_ns = now_ns;
}

/* A fair task begins to run, not after another one. */
static void begin(struct fair_server *server, bool runs, uint64_t now_ns)
{
	if (now_ns - server->since_ns > FAIR_PERIOD_NS)
		server->served_ns = 0;
	server->runs = runs;
	server->left_ns = server->came_ns = 0;
}

/* If it lets tasks run, and finds none, it stops: its deadline is at most a period after it began to. If its runtime is
 * used up, it goes on at its deadline. */
static void end(struct fair_server *server, const struct fair_server_switch *at)
{
	if (server->runs && !at->is_runnable && !at->has_fair && server->served_ns < SERVED_MAX_NS)
		server->left_ns = at->now_ns;
	server->runs = false;
}

uint64_t fair_server_step(struct fair_server *server, const struct fair_server_switch *at)
{
	const bool is_served = at->in == CLASS_FAIR && at->out == CLASS_REAL_TIME && at->is_runnable;
	const bool is_late = server->left_ns && server->came_ns && server->came_ns - server->left_ns > FAIR_PERIOD_NS;
	const uint64_t waited_ns = is_late && is_served ? at->now_ns - server->came_ns + 1 : 0;

	if (at->out == CLASS_FAIR && server->runs)
		server->served_ns += at->now_ns - server->since_ns;
	if (at->out == CLASS_FAIR && at->in != CLASS_FAIR)
		end(server, at);
	else if (at->out != CLASS_FAIR && at->in == CLASS_FAIR)
		begin(server, is_served, at->now_ns);
	if (at->out == CLASS_FAIR || at->in == CLASS_FAIR)
		server->since_ns = at->now_ns;
	return waited_ns;
}
