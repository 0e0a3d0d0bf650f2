/* SPDX-License-Identifier: MIT
 *
 * The mark at the beginning of a recording of keys. */
#include "rules/class.h"
#include "rules/key_events.h"
#include "support/unit.h"

static bool read_text(const char *text, struct key_mark *mark)
{
	return key_mark_read(text, strlen(text), mark);
}

TEST(features_and_tunables)
{
	struct key_mark mark;
	struct rule_traits traits = {.run_to_parity = true, .pick_buddy = true};

	assert_true(read_text("picknext keys: hz=250 base_slice_ns=700000 wakeup_granularity_ns=1000000 "
			      "features=PLACE_LAG,NO_RUN_TO_PARITY,PICK_BUDDY",
			      &mark));
	assert_int_equal(mark.hz, 250);
	assert_int_equal(mark.base_slice_ns, 700000);
	assert_int_equal(mark.isolated, 0); /* of a mark of 0.2 */
	key_events_apply_mark(&mark, &traits);
	assert_false(traits.run_to_parity);
	assert_true(traits.pick_buddy);
	traits.pick_buddy = false; /* the recorded function is called after buddies */
	key_events_apply_mark(&mark, &traits);
	assert_false(traits.pick_buddy);
	assert_int_equal(traits.wakeup_granularity_ns, 1000000);
}

/* A mark is read as it was written. */
TEST(marks_are_read_as_written)
{
	const struct key_mark mark = {.hz = 250,
				      .base_slice_ns = 1400000,
				      .isolated = 0xc,
				      .rr_slice_ms = 100,
				      .rt_runtime_us = 950000,
				      .shared_cache = 0x7,
				      .unequal_cpus = 1,
				      .features = "PLACE_LAG NO_NEXT_BUDDY "};
	struct key_mark again;
	char text[KEY_MARK_SIZE];

	key_mark_write(&mark, text);
	assert_true(read_text(text, &again));
	assert_int_equal(again.hz, mark.hz);
	assert_int_equal(again.base_slice_ns, mark.base_slice_ns);
	assert_int_equal(again.wakeup_granularity_ns, 0);
	assert_int_equal(again.isolated, mark.isolated);
	assert_int_equal(again.rr_slice_ms, mark.rr_slice_ms);
	assert_int_equal(again.rt_runtime_us, mark.rt_runtime_us);
	assert_int_equal(again.shared_cache, mark.shared_cache);
	assert_int_equal(again.unequal_cpus, 1);
	assert_true(key_mark_has(&again, "PLACE_LAG"));
	assert_true(key_mark_has(&again, "NO_NEXT_BUDDY"));
	assert_false(key_mark_has(&again, "NEXT_BUDDY"));
	assert_false(key_mark_has(&again, "PLACE"));
}

TEST(missed_events_are_marked)
{
	const char other[] = "picknext keys: hz=250";
	char text[KEY_MARK_SIZE];

	key_mark_write_missed(17, text);
	assert_int_equal(key_mark_read_missed(text, strlen(text)), 17);
	assert_int_equal(key_mark_read_missed(text, strlen(text) - 1), 1);
	assert_int_equal(key_mark_read_missed(text, 10), 0);
	assert_int_equal(key_mark_read_missed(other, strlen(other)), 0);
}

/* Without a list of features those of the kernel as delivered stay. */
TEST(unknown_features_change_nothing)
{
	struct key_mark mark;
	struct rule_traits traits = {.run_to_parity = true};

	assert_true(read_text("picknext keys: hz=1000 base_slice_ns=0 wakeup_granularity_ns=0 features=", &mark));
	key_events_apply_mark(&mark, &traits);
	assert_true(traits.run_to_parity);
	assert_false(traits.pick_buddy);
}

TEST(other_marks)
{
	struct key_mark mark;
	static char longest[4096];

	assert_false(read_text("", &mark));
	assert_false(read_text("picknext keys", &mark));
	assert_false(read_text("scheduler none disabled 1", &mark));
	memset(longest, 'A', sizeof(longest) - 1);
	memcpy(longest, "picknext keys: ", strlen("picknext keys: "));
	assert_false(read_text(longest, &mark));
}

static struct sched_task task(const char *comm, int32_t pid, int32_t prio)
{
	struct sched_task made = {.pid = pid, .prio = prio};

	made.comm.length = (uint8_t)strlen(comm);
	memcpy(made.comm.bytes, comm, strlen(comm));
	return made;
}

TEST(classes_in_their_order)
{
	const struct sched_task tasks[CLASSES] = {[CLASS_IDLE] = task("swapper/0", 0, 120),
						  [CLASS_FAIR] = task("sh", 7, 120),
						  [CLASS_REAL_TIME] = task("rt", 8, 50),
						  [CLASS_DEADLINE] = task("dl", 9, -1),
						  [CLASS_STOP] = task("migration/0", 10, 0)};

	for (int i = 0; i < CLASSES; i++)
		assert_int_equal(rule_class_of(&tasks[i]), i);
}
