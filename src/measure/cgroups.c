/* SPDX-License-Identifier: MIT */
#include "measure/cgroups.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "runs/run.h"

/* A task has had more queues during a wait: it is not known when it was throttled. */
enum { PAST_QUEUES = 4 };
enum { NORMAL_PRIO_MIN = 100 };
/* The root queue of a CPU, if its address is not recorded. */
#define ANY_ROOT UINT64_C(1)

struct span {
	uint64_t from_ns, to_ns;
	bool is_unknown; /* events are missing: it may have been throttled */
};

/* The queue of a cgroup on one CPU. */
struct cgroup_queue {
	uint64_t parent; /* 0: unknown */
	bool is_root;
	/* It has used its quota, and gets more or is throttled: that is shown by what follows. 0: it has some. */
	uint64_t used_up_ns;
	struct span *spans; /* when it was throttled */
	uint32_t span_count;
	size_t span_capacity;
	const char *path; /* of the cgroup; NULL: unknown */
	bool has_several; /* cgroups without the cpu controller have the queue of the one above */
};

/* A task: the queues that it was on, the latest one last. */
struct cgroup_member {
	struct {
		uint64_t queue, from_ns;
	} past[PAST_QUEUES];
	uint32_t count;
	uint64_t born_ns; /* the first queue has been its queue since then; 0: not known */
	bool left_queue;  /* when it was switched out last: to sleep, or because it is throttled */
};

static struct cgroup_queue *find_queue(const struct cgroups *cgroups, uint64_t id)
{
	const uint32_t number = id ? id_map_find(&cgroups->queue_ids, id) : ID_MAP_NONE;

	return number == ID_MAP_NONE ? NULL : &cgroups->queues[number];
}

static struct cgroup_queue *add_queue(struct cgroups *cgroups, uint64_t id)
{
	const uint32_t known = cgroups->queue_ids.count, number = id_map_add(&cgroups->queue_ids, id);

	cgroups->queues = array_grow(cgroups->queues, &cgroups->queue_capacity, number + 1ul, sizeof(*cgroups->queues));
	if (number == known)
		cgroups->queues[number] = (struct cgroup_queue){.parent = 0};
	return &cgroups->queues[number];
}

static struct cgroup_member *find_member(const struct cgroups *cgroups, int32_t pid)
{
	const uint32_t number = id_map_find(&cgroups->pid_ids, (uint32_t)pid);

	return number == ID_MAP_NONE ? NULL : &cgroups->members[number];
}

static struct cgroup_member *add_member(struct cgroups *cgroups, int32_t pid)
{
	const uint32_t known = cgroups->pid_ids.count, number = id_map_add(&cgroups->pid_ids, (uint32_t)pid);

	cgroups->members =
	    array_grow(cgroups->members, &cgroups->member_capacity, number + 1ul, sizeof(*cgroups->members));
	if (number == known)
		cgroups->members[number] = (struct cgroup_member){.born_ns = 0};
	return &cgroups->members[number];
}

static uint64_t latest_queue(const struct cgroup_member *member)
{
	return member && member->count ? member->past[member->count - 1].queue : 0;
}

/* --- When a queue is throttled --- */

static void add_throttling(struct cgroup_queue *queue, uint64_t from_ns, uint64_t to_ns, bool is_unknown)
{
	queue->spans = array_grow(queue->spans, &queue->span_capacity, queue->span_count + 1ul, sizeof(*queue->spans));
	queue->spans[queue->span_count++] = (struct span){from_ns, to_ns, is_unknown};
	queue->used_up_ns = 0;
}

/* The queues of a task that begins to run are not throttled: they got more quota. Groups may be in each other in a
 * circle in a damaged trace. */
static void note_path_free(struct cgroups *cgroups, uint64_t id)
{
	struct cgroup_queue *queue = find_queue(cgroups, id);

	for (int level = 0; queue && level <= RULE_DEPTH_MAX; level++, queue = find_queue(cgroups, queue->parent))
		queue->used_up_ns = 0;
}

/* It is throttled, or gets more quota; this is not tried while it is throttled. */
static void note_used_up(struct cgroups *cgroups, uint64_t id, uint64_t ts_ns)
{
	add_queue(cgroups, id)->used_up_ns = ts_ns;
}

/* Without a beginning it was throttled when the trace began. */
static void note_end(struct cgroups *cgroups, uint64_t id, uint64_t ts_ns)
{
	struct cgroup_queue *queue = add_queue(cgroups, id);

	add_throttling(queue, queue->used_up_ns ? queue->used_up_ns : cgroups->base_ns, ts_ns, false);
}

/* At a loss, or at the end of the trace. */
static void note_unknown(struct cgroups *cgroups, uint64_t ts_ns)
{
	for (uint32_t i = 0; i < cgroups->queue_ids.count; i++) {
		struct cgroup_queue *queue = &cgroups->queues[i];
		if (queue->used_up_ns)
			add_throttling(queue, queue->used_up_ns, ts_ns, true);
	}
	cgroups->base_ns = ts_ns;
}

/* --- The queues of a task --- */

/* The task is on this queue. */
static void note_member(struct cgroups *cgroups, int32_t pid, uint64_t queue, uint64_t ts_ns)
{
	struct cgroup_member *member = add_member(cgroups, pid);

	if (!queue || latest_queue(member) == queue)
		return;
	if (member->count == PAST_QUEUES)
		memmove(&member->past[0], &member->past[1], --member->count * sizeof(member->past[0]));
	member->past[member->count].queue = queue;
	member->past[member->count].from_ns = member->count == 0 && member->born_ns ? member->born_ns : ts_ns;
	member->count++;
}

/* is_cut: the queues above are not in the path; else they end at the root, if all levels were recorded. */
static void note_path(struct cgroups *cgroups, int32_t pid, const struct key_path *path, bool is_cut, uint64_t ts_ns)
{
	if (!path->depth || pid <= 0)
		return;
	for (uint32_t i = 0; i < path->depth; i++) {
		struct cgroup_queue *queue = add_queue(cgroups, path->queues[i]);
		if (i + 1 < path->depth)
			queue->parent = path->queues[i + 1];
		else if (path->levels == path->depth + 1)
			queue->parent = ANY_ROOT;
		else if (path->levels == path->depth && !is_cut)
			queue->is_root = true;
	}
	note_member(cgroups, pid, path->queues[0], ts_ns);
}

/* Kernels with one queue per CPU: a group on a CPU is taken for its queue there. */
static uint64_t queue_of_group(uint64_t group, uint32_t cpu)
{
	return group ? (group & (UINT64_MAX >> 16)) | (uint64_t)(cpu + 1) << 48 : 0;
}

static void note_groups(struct cgroups *cgroups, int32_t pid, const struct key_groups *groups, uint32_t cpu,
			uint64_t ts_ns)
{
	for (uint32_t i = 0; i < groups->count; i++) {
		struct cgroup_queue *queue = add_queue(cgroups, queue_of_group(groups->ids[i], cpu));
		if (i + 1 < groups->count)
			queue->parent = queue_of_group(groups->ids[i + 1], cpu);
		else
			queue->is_root = queue->is_root || groups->is_whole;
	}
	if (groups->count && pid > 0)
		note_member(cgroups, pid, queue_of_group(groups->ids[0], cpu), ts_ns);
}

/* Later events say where it is. */
static void forget_member(struct cgroups *cgroups, int32_t pid, uint64_t born_ns)
{
	struct cgroup_member *member = add_member(cgroups, pid);

	*member = (struct cgroup_member){.born_ns = born_ns};
}

static void forget_members(struct cgroups *cgroups)
{
	for (uint32_t i = 0; i < cgroups->pid_ids.count; i++)
		cgroups->members[i] = (struct cgroup_member){.count = 0};
}

/* --- Paths --- */

static const struct run_role *role_of_task(const struct cgroups *cgroups, const struct task_states *states,
					   uint32_t comm)
{
	const struct run *run = cgroups->described_by ? pass_described(cgroups->described_by) : NULL;
	const struct sched_comm *name = &states->comms.comms[comm];

	return run ? run_role_of(run->metadata.work.roles, run->metadata.work.role_count, name->bytes, name->length)
		   : NULL;
}

/* Levels of groups above the queue; 0 at the root and if it is not known. */
static uint32_t depth_of(const struct cgroups *cgroups, const struct cgroup_queue *queue)
{
	uint32_t depth = 0;

	while (queue && !queue->is_root && depth <= RULE_DEPTH_MAX) {
		queue = find_queue(cgroups, queue->parent);
		depth++;
	}
	return queue ? depth : 0;
}

static uint32_t components_of(const char *path)
{
	uint32_t count = 1;

	for (; *path; path++)
		count += *path == '/';
	return count;
}

static void read_host_paths(struct cgroups *cgroups)
{
	const struct run *run = cgroups->described_by ? pass_described(cgroups->described_by) : NULL;

	cgroups->command_pid = run ? run->metadata.command.pid : 0;
	if (!run)
		return;
	const struct run_recording *recording = &run->metadata.recording;
	task_texts_add(&cgroups->paths.before, recording->cgroups_before, recording->cgroup_count_before);
	task_texts_add(&cgroups->paths.after, recording->cgroups_after, recording->cgroup_count_after);
}

/* If the paths before and after the recording differ, the task was moved at an unknown time. The command of a recording
 * has not begun before it: it may move itself first, as systemd-run --scope does. */
static const char *host_path(const struct cgroups *cgroups, const struct task *task)
{
	const char *before, *after;

	task_texts_find(&cgroups->paths, task, &before, &after);
	if (task->pid == cgroups->command_pid)
		before = NULL;
	if (before && after && strcmp(before, after) != 0)
		return NULL;
	return before ? before : after;
}

/* The queue of a host's task has the path of that task, if all known ones on it have the same path. */
static void name_host_queue(struct cgroup_queue *queue, const char *path)
{
	queue->has_several |= strcmp(queue->path ? queue->path : queue->is_root ? "/" : path, path) != 0;
	queue->path = path;
}

/* The queue of a role's task has the path of that role, once the task has entered its cgroup: below that of the run. */
static void name_queue(struct cgroups *cgroups, const struct task_states *states, int32_t pid, uint32_t task)
{
	struct cgroup_queue *queue = find_queue(cgroups, latest_queue(find_member(cgroups, pid)));
	const struct run_role *role =
	    queue && !queue->path && task != TASK_NONE ? role_of_task(cgroups, states, states->tasks[task].comm) : NULL;
	const char *host = queue && task != TASK_NONE ? host_path(cgroups, &states->tasks[task]) : NULL;

	if (host)
		name_host_queue(queue, host);
	else if (role && role->cgroup && depth_of(cgroups, queue) > components_of(role->cgroup))
		queue->path = role->cgroup;
}

const char *cgroups_path(const struct cgroups *cgroups, const struct task_states *states, uint32_t task, uint32_t comm)
{
	const struct task *of = &states->tasks[task];
	const struct cgroup_queue *queue = find_queue(cgroups, latest_queue(find_member(cgroups, of->pid)));
	const struct run_role *role = of->is_idle ? NULL : role_of_task(cgroups, states, comm);
	const char *host = of->is_idle ? NULL : host_path(cgroups, of);

	if (host || (queue && queue->has_several))
		return host;
	if (queue && !of->is_idle && (queue->is_root || queue->path))
		return queue->is_root ? "/" : queue->path;
	return role ? role->cgroup : NULL;
}

/* --- A trace --- */

/* Where tasks are. */
static void take_members(struct cgroups *cgroups, const struct task_states *states, const struct sched_event *event,
			 const struct key_event *keys)
{
	if (keys->kind == KEY_ENQUEUE) {
		const int32_t pid = keys->enqueued.pid;
		if (cgroups->keys.has_groups)
			note_path(cgroups, pid, &keys->enqueued.task, keys->enqueued.is_throttled, event->ts_ns);
		else
			note_groups(cgroups, pid, &keys->enqueued.groups, keys->cpu, event->ts_ns);
		name_queue(cgroups, states, pid, task_states_find(states, pid, keys->cpu));
	} else if (keys->kind == KEY_SWITCH) {
		if (cgroups->keys.has_groups) {
			note_path(cgroups, event->common_pid, &keys->switched.prev, false, event->ts_ns);
			note_path(cgroups, keys->switched.next_pid, &keys->switched.next, false, event->ts_ns);
		} else {
			note_groups(cgroups, event->common_pid, &keys->switched.prev_groups, event->cpu, event->ts_ns);
		}
		add_member(cgroups, event->common_pid)->left_queue = !keys->switched.prev.entities[0].on_rq;
	} else if (keys->kind == KEY_CHANGE && keys->change.what == CHANGE_GROUP) {
		forget_member(cgroups, keys->change.pid, 0);
	}
}

static void take_throttling(struct cgroups *cgroups, const struct sched_event *event, const struct key_event *keys)
{
	const bool is_flat = !cgroups->keys.has_groups;

	if (keys->kind == KEY_THROTTLE) {
		note_groups(cgroups, 0, &keys->throttle.groups, keys->cpu, event->ts_ns);
		note_used_up(cgroups,
			     is_flat ? queue_of_group(keys->throttle.groups.ids[0], keys->cpu) : keys->throttle.queue,
			     event->ts_ns);
	} else if (keys->kind == KEY_UNTHROTTLE) {
		note_end(cgroups,
			 is_flat ? queue_of_group(keys->unthrottled.group, keys->cpu) : keys->unthrottled.queue,
			 event->ts_ns);
	}
}

static void note_run(struct cgroups *cgroups, const struct task_states *states, uint32_t task)
{
	const struct task *started = &states->tasks[task];

	if (!cgroups->stays_queued && started->prio >= NORMAL_PRIO_MIN)
		note_path_free(cgroups, latest_queue(find_member(cgroups, started->pid)));
}

static void step(struct cgroups *cgroups, const struct pass *pass, const struct sched_event *event,
		 const struct task_step *changes, struct key_event *keys)
{
	keys->kind = KEY_NONE;
	if (changes->changes & STEP_WAKEUP && changes->wakeup.is_new)
		forget_member(cgroups, pass->states.tasks[changes->wakeup.task].pid, event->ts_ns);
	if (event->kind == SCHED_OTHER_EVENT)
		key_events_read(&cgroups->keys, sched_stream_record(sched_source_stream(pass->run.source)), event->cpu,
				keys);
	if (keys->kind != KEY_NONE)
		take_members(cgroups, &pass->states, event, keys);
}

/* A runnable task leaves its queue only because it is throttled itself. */
static void note_dequeue(struct cgroups *cgroups, const struct task_states *states, const struct task_step *changes)
{
	const struct task_slice *slice = changes->slice_count ? &changes->slices[changes->slice_count - 1] : NULL;

	if (!slice || slice->end_cut || !leave_reason_is_runnable(slice->out))
		return;
	const struct cgroup_member *member = find_member(cgroups, states->tasks[slice->task].pid);
	cgroups->throttles_tasks = cgroups->throttles_tasks || (member && member->left_queue);
}

/* The first reading of a trace: when queues are throttled, and what their cgroups are. */
static enum status scan_event(void *context, const struct pass *pass, const struct sched_event *event,
			      const struct task_step *changes, struct error *err)
{
	struct cgroups *cgroups = context;
	struct key_event keys;

	(void)err;
	if (!cgroups->base_ns)
		cgroups->base_ns = event->ts_ns;
	if (sched_event_is_loss(event)) {
		note_unknown(cgroups, event->ts_ns);
		forget_members(cgroups);
		return STATUS_OK;
	}
	step(cgroups, pass, event, changes, &keys);
	take_throttling(cgroups, event, &keys);
	if (cgroups->stays_queued)
		note_dequeue(cgroups, &pass->states, changes);
	if (changes->changes & STEP_RUN)
		note_run(cgroups, &pass->states, changes->started);
	return STATUS_OK;
}

static void scan(struct cgroups *cgroups, const struct pass *pass)
{
	const struct pass_consumer consumer = {.context = cgroups, .step = scan_event};
	struct pass whole;
	struct error damage;

	(void)pass_read_inputs(NULL, pass->run.input, 1, &consumer, &whole, &damage);
	note_unknown(cgroups, UINT64_MAX);
	forget_members(cgroups);
	pass_free(&whole);
}

static bool has_throttling(const struct cgroups *cgroups, const struct pass *pass)
{
	const struct tracedat *trace = sched_stream_trace(sched_source_stream(pass->run.source));

	return tracedat_has_event(trace, cgroups->keys.layouts[KEY_ROW_THROTTLE].id) ||
	       tracedat_has_event(trace, cgroups->keys.layouts[KEY_ROW_UNTHROTTLE].id);
}

void cgroups_begin(struct cgroups *cgroups, const struct pass *pass, bool wants_paths)
{
	cgroups_free(cgroups);
	cgroups->described_by = wants_paths ? pass : NULL;
	read_host_paths(cgroups);
	key_events_begin(&cgroups->keys, sched_source_stream(pass->run.source));
	cgroups->knows_groups =
	    cgroups->keys.is_known && (cgroups->keys.has_groups || KEY_HAS(&cgroups->keys, ENQUEUE, enqueued, group));
	cgroups->knows_throttling = cgroups->knows_groups && cgroups->keys.layouts[KEY_ROW_THROTTLE].is_known &&
				    cgroups->keys.layouts[KEY_ROW_UNTHROTTLE].is_known;
	cgroups->stays_queued = key_events_traits(&cgroups->keys).has_vprot;
	cgroups->is_followed =
	    cgroups->knows_groups && (wants_paths || (cgroups->knows_throttling && has_throttling(cgroups, pass)));
	if (!cgroups->is_followed)
		return;
	add_queue(cgroups, ANY_ROOT)->is_root = true;
	scan(cgroups, pass);
	cgroups->base_ns = 0;
}

void cgroups_step(struct cgroups *cgroups, const struct pass *pass, const struct sched_event *event,
		  const struct task_step *changes)
{
	struct key_event keys;

	if (sched_event_is_loss(event)) {
		cgroups->base_ns = event->ts_ns;
		forget_members(cgroups);
	} else if (cgroups->is_followed) {
		step(cgroups, pass, event, changes, &keys);
	}
}

void cgroups_free(struct cgroups *cgroups)
{
	for (uint32_t i = 0; i < cgroups->queue_ids.count; i++)
		free(cgroups->queues[i].spans);
	id_map_free(&cgroups->queue_ids);
	id_map_free(&cgroups->pid_ids);
	free(cgroups->queues);
	free(cgroups->members);
	task_texts_free(&cgroups->paths);
	*cgroups = (struct cgroups){0};
}

/* --- Waits --- */

/* Adds the part of the time from from_ns to to_ns; spans stay in order, and those that overlap become one. */
static void add_span(struct throttled_spans *spans, const struct span *added, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t begin_ns = added->from_ns > from_ns ? added->from_ns : from_ns,
		 end_ns = added->to_ns < to_ns ? added->to_ns : to_ns;
	uint32_t first = 0, last;

	if (end_ns <= begin_ns)
		return;
	while (first < spans->count && spans->spans[first].to_ns < begin_ns)
		first++;
	for (last = first; last < spans->count && spans->spans[last].from_ns <= end_ns; last++) {
		begin_ns = spans->spans[last].from_ns < begin_ns ? spans->spans[last].from_ns : begin_ns;
		end_ns = spans->spans[last].to_ns > end_ns ? spans->spans[last].to_ns : end_ns;
	}
	if (first == last && spans->count == THROTTLED_SPANS_MAX) {
		spans->is_known = false;
		return;
	}
	memmove(&spans->spans[first + 1], &spans->spans[last], (spans->count - last) * sizeof(spans->spans[0]));
	spans->count += 1 + first - last;
	spans->spans[first].from_ns = begin_ns;
	spans->spans[first].to_ns = end_ns;
}

/* The first span that ends after from_ns. */
static uint32_t first_span(const struct cgroup_queue *queue, uint64_t from_ns)
{
	uint32_t low = 0, high = queue->span_count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (queue->spans[middle].to_ns <= from_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Adds when the queue was throttled. */
static void add_queue_spans(const struct cgroup_queue *queue, uint64_t from_ns, uint64_t to_ns,
			    struct throttled_spans *spans)
{
	for (uint32_t i = first_span(queue, from_ns); i < queue->span_count && queue->spans[i].from_ns < to_ns; i++) {
		if (queue->spans[i].is_unknown)
			spans->is_known = false;
		else
			add_span(spans, &queue->spans[i], from_ns, to_ns);
	}
}

/* Adds when a task on this queue was throttled. */
static void add_path_spans(const struct cgroups *cgroups, uint64_t id, uint64_t from_ns, uint64_t to_ns,
			   struct throttled_spans *spans)
{
	const struct cgroup_queue *queue = find_queue(cgroups, id);

	for (int level = 0; queue && !queue->is_root && level <= RULE_DEPTH_MAX; level++) {
		add_queue_spans(queue, from_ns, to_ns, spans);
		queue = find_queue(cgroups, queue->parent);
	}
	if (!queue || !queue->is_root)
		spans->is_known = false;
}

void cgroups_throttled(const struct cgroups *cgroups, const struct task_states *states, const struct task_wait *wait,
		       struct throttled_spans *spans)
{
	const struct task *task = &states->tasks[wait->task];
	uint64_t to_ns = wait->end_ns;

	spans->is_known = cgroups->knows_throttling && wait->since_ns >= cgroups->base_ns;
	spans->count = 0;
	if (!spans->is_known || !cgroups->is_followed)
		return;
	/* The quota is of fair tasks. */
	if (task->is_idle || (task->prio != TASK_PRIO_UNKNOWN && task->prio < NORMAL_PRIO_MIN))
		return;
	const struct cgroup_member *member = find_member(cgroups, task->pid);
	const bool is_woken = wait->cause == WAIT_WAKEUP || wait->cause == WAIT_NEW;
	if (cgroups->throttles_tasks && member && (is_woken || !member->left_queue))
		return;
	for (uint32_t i = member ? member->count : 0; i-- > 0 && to_ns > wait->since_ns;) {
		const uint64_t from_ns =
		    member->past[i].from_ns > wait->since_ns ? member->past[i].from_ns : wait->since_ns;
		if (from_ns < to_ns)
			add_path_spans(cgroups, member->past[i].queue, from_ns, to_ns, spans);
		to_ns = from_ns < to_ns ? from_ns : to_ns;
	}
	spans->is_known = spans->is_known && to_ns <= wait->since_ns;
}

uint64_t throttled_ns(const struct throttled_spans *spans)
{
	uint64_t sum_ns = 0;

	for (uint32_t i = 0; i < spans->count; i++)
		sum_ns += spans->spans[i].to_ns - spans->spans[i].from_ns;
	return sum_ns;
}

bool cgroups_throttled_ns(const struct cgroups *cgroups, const struct task_states *states, const struct task_wait *wait,
			  uint64_t *ns)
{
	struct throttled_spans spans;

	cgroups_throttled(cgroups, states, wait, &spans);
	*ns = spans.is_known ? throttled_ns(&spans) : 0;
	return spans.is_known;
}
