/* SPDX-License-Identifier: MIT */
#include "vm/launch/accelerator.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/clock.h"
#include "base/cpu_list.h"
#include "base/file.h"
#include "base/filter.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/message.h"

#define KVM_DEVICE "/dev/kvm"

/* --- The cached result --- */

#define CACHED          "accelerator.json"
#define FAILURE_VALID_S 3600

/* The cached result is valid only for this machine, kernel and QEMU. */
static void machine_key(const struct emulator *engine, char *key, size_t size)
{
	char boot_id[64] = "";
	char model[CPU_MODEL_SIZE];
	struct utsname host;

	file_read_line("/proc/sys/kernel/random/boot_id", boot_id, sizeof(boot_id));
	cpu_model_read(model);
	if (uname(&host) < 0)
		host.release[0] = '\0';
	snprintf(key, size, "%s; %s; %s; %s %s", boot_id, model, host.release, engine->qemu, engine->qemu_version);
}

static uint64_t now_s(void)
{
	return (uint64_t)clock_seconds(CLOCK_REALTIME);
}

/* A failure is valid for FAILURE_VALID_S, and for probes with the same or a shorter time limit. */
static bool failure_is_valid(const struct json_value *memory, uint64_t limit_s)
{
	uint64_t tried_s = 0, had_s = 0;

	return json_member_u64(memory, "tried_at", &tried_s) && json_member_u64(memory, "limit_s", &had_s) &&
	       limit_s <= had_s && now_s() >= tried_s && now_s() - tried_s < FAILURE_VALID_S;
}

static bool read_cache(const char *key, uint64_t limit_s, struct accelerator_choice *choice)
{
	struct json_value *memory = cache_read(CACHED);
	const char *name = memory ? json_member_text(memory, "accelerator", "") : "";
	bool found = memory && strcmp(json_member_text(memory, "machine", ""), key) == 0 &&
		     (strcmp(name, "kvm") == 0 || (strcmp(name, "tcg") == 0 && failure_is_valid(memory, limit_s)));

	if (found) {
		choice->accelerator = strcmp(name, "kvm") == 0 ? ACCELERATOR_KVM : ACCELERATOR_TCG;
		snprintf(choice->why, sizeof(choice->why), "remembered: %.120s", json_member_text(memory, "why", ""));
	}
	json_free(memory);
	return found;
}

static void write_cache(const char *key, uint64_t limit_s, const struct accelerator_choice *choice)
{
	struct buffer text = {0};
	struct json_writer json = {.out = &text};

	json_object_begin(&json, NULL);
	json_text(&json, "machine", key);
	json_text(&json, "accelerator", accelerator_name(choice->accelerator));
	json_text(&json, "why", choice->why);
	json_u64(&json, "tried_at", now_s());
	json_u64(&json, "limit_s", limit_s);
	json_object_end(&json);
	buffer_text(&text, "\n");
	cache_write(CACHED, &text);
	buffer_free(&text);
}

/* --- The probe --- */

enum status accelerator_judge(const struct supervision *on, struct accelerator_choice *choice, bool *is_lasting,
			      struct error *err)
{
	const bool is_up = on->end == GUEST_DONE;
	const bool is_silent = on->end == GUEST_NOT_BOOTED && on->console->length == 0;
	char said[160];

	*is_lasting = is_up || is_silent;
	choice->accelerator = is_up ? ACCELERATOR_KVM : ACCELERATOR_TCG;
	if (is_up) {
		snprintf(choice->why, sizeof(choice->why), "KVM was tried, the guest was up in %.1f s", on->boot_s);
		return STATUS_OK;
	}
	if (filter_lacks_memory(on->engine_log->tail, on->engine_log->tail_length)) {
		error_system(err, ENOMEM, KVM_DEVICE, "QEMU has too little memory to try KVM");
		return error_remedy(err, "free memory, raise a limit (ulimit -v), or give the guest less with "
					 "--guest memory=MB");
	}
	console_last_line(on->engine_log->tail_length ? on->engine_log : on->console, said, sizeof(said));
	if (on->end == GUEST_PANICKED)
		snprintf(choice->why, sizeof(choice->why), "KVM was tried, this kernel panicked after %.1f s: %s",
			 on->elapsed_s, on->console->panic);
	else if (is_silent)
		snprintf(choice->why, sizeof(choice->why),
			 "KVM was tried, the guest was silent for %.1f s; raise --guest boot-timeout", on->elapsed_s);
	else if (on->end == GUEST_NOT_BOOTED)
		snprintf(choice->why, sizeof(choice->why),
			 "KVM was tried, the guest was not up after %.1f s; raise --guest boot-timeout", on->elapsed_s);
	else
		snprintf(choice->why, sizeof(choice->why), "KVM was tried, QEMU ended after %.1f s%s", on->elapsed_s,
			 said[0] ? " (-v shows its last message)" : "");
	if (said[0])
		message_detail("QEMU on KVM: %s", said);
	return STATUS_OK;
}

static enum status probe_kvm(const struct boot *like, unsigned int limit_s, struct accelerator_choice *choice,
			     bool *is_lasting, struct error *err)
{
	struct console console, engine_log;
	struct emulator engine = *like->machine.engine;
	struct boot boot = {
	    .kernel = like->kernel, .modules = like->modules, .initramfs = like->initramfs, .machine = like->machine};
	struct supervision on = {.console = &console,
				 .engine_log = &engine_log,
				 .boot_timeout_s = limit_s,
				 .total_timeout_s = limit_s,
				 .until_hello = true};

	engine.kind = ENGINE_QEMU;
	boot.machine.engine = &engine;
	boot.machine.accelerator = ACCELERATOR_KVM;
	boot.machine.share = SHARE_NONE;
	boot.machine.shared_memory = boot.machine.scratch_disk = boot.machine.shell = false;
	boot.job = (struct job){.accelerator = "kvm", .engine = "qemu", .probe = true};
	console_open(&console, "/dev/null/console");
	console_open(&engine_log, "/dev/null/engine");
	message_progress("trying KVM with a boot of at most %u s", limit_s);
	enum status status = boot_place_kernel(&boot, err);
	if (status == STATUS_OK)
		status = boot_prepare(&boot, err);
	if (status == STATUS_OK)
		status = boot_run(&boot, &on, err);
	boot_end(&boot);
	message_progress_end();
	console_close(&console);
	console_close(&engine_log);
	if (status == STATUS_OK && on.end == GUEST_INTERRUPTED)
		status = interrupt_check(err);
	if (status == STATUS_OK)
		status = accelerator_judge(&on, choice, is_lasting, err);
	return status;
}

/* Returns 0, or the errno of opening KVM's device. */
static int try_device(void)
{
	int device = open(KVM_DEVICE, O_RDWR | O_CLOEXEC);

	if (device < 0)
		return errno;
	close(device);
	return 0;
}

bool accelerator_kvm_is_there(const struct architecture *architecture, char *why, size_t size)
{
	if (!architecture_is_host(architecture)) {
		snprintf(why, size, "guest of %s", architecture->name);
		return false;
	}
	int reason = try_device();

	if (reason == ENOENT)
		snprintf(why, size, "no KVM here");
	else if (reason)
		snprintf(why, size, "no KVM (" KVM_DEVICE ": %s)", strerror(reason));
	return reason == 0;
}

enum status accelerator_choose(const char *name, const struct boot *boot, bool may_probe, uint64_t limit_s,
			       struct accelerator_choice *choice, struct error *err)
{
	static struct accelerator_choice failed; /* a failure of this process that is not cached */
	char key[PATH_MAX + 512];
	bool is_lasting = false;

	*choice = (struct accelerator_choice){.accelerator = ACCELERATOR_TCG, .why = "asked for", .certain = true};
	if (strcmp(name, "tcg") == 0)
		return STATUS_OK;
	const bool is_host = architecture_is_host(boot->machine.engine->architecture);
	int reason = is_host ? try_device() : ENOEXEC;
	if (strcmp(name, "kvm") == 0) {
		choice->accelerator = ACCELERATOR_KVM;
		if (reason == 0)
			return STATUS_OK;
		if (!is_host) {
			error_set(err, STATUS_UNSUPPORTED, "--mode kvm",
				  "guests of %s cannot run on this machine's CPUs",
				  boot->machine.engine->architecture->name);
			return error_remedy(err, "use --mode tcg or deterministic");
		}
		error_system(err, reason, KVM_DEVICE, "cannot open");
		return error_remedy(err, "use --mode tcg, or let the machine's owner add you to group kvm");
	}
	if (reason) {
		snprintf(choice->why, sizeof(choice->why), KVM_DEVICE ": %s", strerror(reason));
		return STATUS_OK;
	}
	machine_key(boot->machine.engine, key, sizeof(key));
	limit_s = limit_s ? limit_s : PROBE_LIMIT_S;
	if (read_cache(key, limit_s, choice))
		return STATUS_OK;
	if (!may_probe) {
		choice->certain = false;
		snprintf(choice->why, sizeof(choice->why), "KVM is not tried with --dry-run; a launch tries it first");
		return STATUS_OK;
	}
	if (failed.why[0]) {
		*choice = failed;
		return STATUS_OK;
	}
	enum status status = probe_kvm(boot, (unsigned int)limit_s, choice, &is_lasting, err);
	if (status == STATUS_OK && is_lasting)
		write_cache(key, limit_s, choice);
	else if (status == STATUS_OK)
		failed = *choice;
	return status;
}
