/* SPDX-License-Identifier: MIT */
#include "vm/engine/emulator.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cache.h"
#include "base/filter.h"
#include "base/program_path.h"

const char *emulator_name(enum emulator_kind kind)
{
	return kind == ENGINE_VNG ? "vng" : "qemu";
}

const char *accelerator_name(enum accelerator accelerator)
{
	return accelerator == ACCELERATOR_KVM ? "kvm" : "tcg";
}

/* Cached versions of programs: several kernels use the same two or three programs. */
static struct known_version {
	char program[PATH_MAX];
	char version[64];
} known_versions[4];

static struct known_version *find_known(const char *program)
{
	for (size_t i = 0; i < sizeof(known_versions) / sizeof(known_versions[0]); i++)
		if (!known_versions[i].program[0] || strcmp(known_versions[i].program, program) == 0)
			return &known_versions[i];
	return NULL;
}

/* Parses the number in the output of --version, which begins with name. */
static enum status ask_version(const char *program, const char *name, const char *package, char *version, size_t size,
			       struct error *err)
{
	const char *const arguments[] = {program, "--version", NULL};
	struct buffer out = {0};
	enum status status = filter_through(arguments, "", 0, 65536, &out, program, err);

	if (status == STATUS_OK && (out.length == 0 || strncasecmp(out.data, name, strlen(name)) != 0))
		status = error_set(err, STATUS_SYSTEM, program, "--version does not report %s", name);
	if (status == STATUS_OK) {
		const char *at = out.data + strcspn(out.data, "0123456789\n");
		snprintf(version, size, "%.*s", (int)strcspn(at, " \n("), at);
	} else if (status != STATUS_INTERRUPTED && err && err->errnum != ENOMEM) {
		error_remedy(err, "the installation may be incomplete; as root: apt-get install %s", package);
	}
	buffer_free(&out);
	return status;
}

static enum status read_version(const char *program, const char *name, const char *package, char *version, size_t size,
				struct error *err)
{
	struct known_version *known = find_known(program);
	bool is_known = known && known->program[0];
	enum status status = is_known ? STATUS_OK : ask_version(program, name, package, version, size, err);

	if (is_known) {
		snprintf(version, size, "%s", known->version);
	} else if (status == STATUS_OK && known) {
		snprintf(known->program, sizeof(known->program), "%s", program);
		snprintf(known->version, sizeof(known->version), "%s", version);
	}
	return status;
}

/* Programs of picknext fetch: in directories beside the binary (fetch -o build/qemu), else in the cache. */
static bool find_fetched(const char *name, char *path, size_t size)
{
	return (program_find_beside(name, path, size) && program_can_run(path)) ||
	       (cache_find(name, path, size) && program_can_run(path));
}

static enum status find_qemu(const char *qemu, struct emulator *engine, struct error *err)
{
	const struct architecture *architecture = engine->architecture;
	const char *name = qemu ? qemu : architecture->qemu;

	if (!program_find(name, engine->qemu, sizeof(engine->qemu)) &&
	    (qemu || !find_fetched(architecture->fetched_qemu, engine->qemu, sizeof(engine->qemu)))) {
		error_set(err, STATUS_SYSTEM, name, qemu ? "is not an executable file" : "is not installed");
		return error_remedy(err, "as root: apt-get install %s", architecture->qemu_package);
	}
	enum status status = read_version(engine->qemu, "QEMU", architecture->qemu_package, engine->qemu_version,
					  sizeof(engine->qemu_version), err);
	engine->qemu_major = (unsigned int)strtoul(engine->qemu_version, NULL, 10);
	return status;
}

/* A failure that says nothing about the program: another one must not take its place. */
static bool must_end(const struct error *err)
{
	return err->status == STATUS_INTERRUPTED || err->errnum == ENOMEM;
}

enum status emulator_find_deterministic(const struct architecture *architecture, const char *qemu,
					struct emulator *engine, struct error *err)
{
	char older[160] = "none is installed", cache[PATH_MAX];

	*engine = (struct emulator){.kind = ENGINE_QEMU, .architecture = architecture};
	struct error missing = {0};
	enum status status = find_qemu(qemu, engine, &missing);
	if (qemu || must_end(&missing))
		*err = missing;
	if (must_end(&missing))
		return status;
	if (status == STATUS_OK && engine->qemu_major >= ENGINE_DETERMINISTIC_MAJOR)
		return STATUS_OK;
	if (status == STATUS_OK)
		snprintf(older, sizeof(older), "%.80s is %.60s", engine->qemu, engine->qemu_version);
	else if (qemu)
		return status;
	if (!qemu && find_fetched(architecture->fetched_qemu, engine->qemu, sizeof(engine->qemu)))
		return find_qemu(engine->qemu, engine, err);
	error_set(err, STATUS_SYSTEM, "--mode deterministic", "needs QEMU %d or later: %s", ENGINE_DETERMINISTIC_MAJOR,
		  older);
	if (!qemu && cache_distrusted(cache, sizeof(cache)))
		return error_remedy(err,
				    "the files that picknext fetched to %s are not used: that directory must be yours, "
				    "readable, and not writable for others",
				    cache);
	return error_remedy(err, "picknext fetch qemu --arch %s gets one, without root", architecture->debian);
}

static enum status find_vng(struct emulator *engine, struct error *err)
{
	if (!program_find("vng", engine->vng, sizeof(engine->vng)) &&
	    !find_fetched("vng/vng", engine->vng, sizeof(engine->vng))) {
		error_set(err, STATUS_SYSTEM, "vng", "is not installed");
		return error_remedy(err, "picknext fetch vng gets it, without root; or use --guest engine=qemu");
	}
	return read_version(engine->vng, "virtme-ng", "virtme-ng", engine->vng_version, sizeof(engine->vng_version),
			    err);
}

enum status emulator_find(const struct architecture *architecture, const char *name, const char *qemu,
			  struct emulator *engine, struct error *err)
{
	*engine = (struct emulator){.kind = ENGINE_QEMU, .architecture = architecture};
	enum status status = find_qemu(qemu, engine, err);
	if (status != STATUS_OK || strcmp(name, "qemu") == 0 || (!architecture->has_vng && strcmp(name, "auto") == 0))
		return status;
	if (!architecture->has_vng) {
		error_set(err, STATUS_UNSUPPORTED, "vng", "picknext boots no guests of %s with it", architecture->name);
		return error_remedy(err, "use --guest engine=qemu");
	}
	struct error missing = {0};
	status = find_vng(engine, &missing);
	if (status == STATUS_OK)
		engine->kind = ENGINE_VNG;
	else if (strcmp(name, "auto") == 0 && !must_end(&missing))
		status = STATUS_OK; /* plain QEMU does all of it */
	else
		*err = missing;
	return status;
}
