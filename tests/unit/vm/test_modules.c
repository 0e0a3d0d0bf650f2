/* SPDX-License-Identifier: MIT
 *
 * .modinfo, and which modules of a directory a guest gets, in which order. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "support/own_directory.h"
#include "support/unit.h"
#include "unit/vm/module_maker.h"
#include "vm/kernel/modinfo.h"
#include "vm/kernel/modules.h"

#define INFO "license=GPL\0depends=virtio,net-core\0name=x"

static enum status value_of(uint8_t *bytes, size_t length, const char *key, char *to, size_t size)
{
	uint8_t *copy = malloc(length ? length : 1);
	const char *value;

	assert_non_null(copy);
	memcpy(copy, bytes, length);
	enum status status = modinfo_value(copy, length, key, &value, NULL);
	snprintf(to, size, "%s", status == STATUS_OK && value ? value : "(none)");
	free(copy);
	return status;
}

TEST(reads_modinfo)
{
	uint8_t bytes[MADE_MODULE_LENGTH];
	char value[64];

	make_module(bytes, INFO, sizeof(INFO));
	assert_int_equal(value_of(bytes, sizeof(bytes), "depends", value, sizeof(value)), STATUS_OK);
	assert_string_equal(value, "virtio,net-core");
	assert_int_equal(value_of(bytes, sizeof(bytes), "name", value, sizeof(value)), STATUS_OK);
	assert_string_equal(value, "x");
	assert_int_equal(value_of(bytes, sizeof(bytes), "depend", value, sizeof(value)), STATUS_OK);
	assert_string_equal(value, "(none)");
	/* a value that goes on beyond its section is none */
	make_module(bytes, INFO, sizeof(INFO) - 1);
	assert_int_equal(value_of(bytes, sizeof(bytes), "name", value, sizeof(value)), STATUS_OK);
	assert_string_equal(value, "(none)");
}

TEST(checks_every_offset)
{
	static const struct {
		size_t at;
		unsigned int width;
		uint64_t value;
	} damages[] = {
	    {0, 1, 'x'},
	    {4, 1, 1},
	    {40, 8, UINT64_MAX},
	    {40, 8, MADE_MODULE_LENGTH - 64},
	    {58, 2, 40},
	    {60, 2, 0},
	    {60, 2, 0xffff},
	    {62, 2, 3},
	    {MADE_SECTIONS_AT + 64 + 24, 8, UINT64_MAX},
	    {MADE_SECTIONS_AT + 64 + 32, 8, UINT64_MAX - MADE_INFO_AT + 1},
	    {MADE_SECTIONS_AT + 128 + 24, 8, MADE_MODULE_LENGTH},
	};
	uint8_t bytes[MADE_MODULE_LENGTH];
	char value[64];

	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		make_module(bytes, INFO, sizeof(INFO));
		made_put(bytes + damages[i].at, damages[i].value, damages[i].width);
		if (value_of(bytes, sizeof(bytes), "depends", value, sizeof(value)) != STATUS_CORRUPT)
			fail_msg("damage %zu was not noticed: %s", i, value);
	}
	make_module(bytes, INFO, sizeof(INFO));
	for (size_t length = 0; length < MADE_INFO_AT; length++)
		assert_int_equal(value_of(bytes, length, "depends", value, sizeof(value)), STATUS_CORRUPT);
	/* a section whose name lies outside of the names is nobody's */
	made_put(bytes + MADE_SECTIONS_AT + 64, UINT32_MAX, 4);
	assert_int_equal(value_of(bytes, sizeof(bytes), "depends", value, sizeof(value)), STATUS_OK);
	assert_string_equal(value, "(none)");
}

/* A kernel whose modules directory is the working directory. */
static struct kernel_files files;

static int set_up(void **state)
{
	files = (struct kernel_files){.path = "vmlinuz", .modules = "."};
	return own_directory_enter(state) || file_make_directories("kernel/drivers", NULL) != STATUS_OK;
}

static int tear_down(void **state)
{
	buffer_free(&files.config);
	return own_directory_leave(state);
}

static void add_file(const char *path, const void *bytes, size_t length)
{
	assert_int_equal(file_replace(path, bytes, length, NULL), STATUS_OK);
}

static void add_module(const char *file, const char *depends)
{
	uint8_t bytes[MADE_MODULE_LENGTH];
	char info[256], name[256];

	snprintf(info, sizeof(info), "depends=%s", depends);
	make_module(bytes, info, strlen(info) + 1);
	snprintf(name, sizeof(name), "kernel/drivers/%s", file);
	add_file(name, bytes, sizeof(bytes));
}

static void add_builtin(const char *text)
{
	add_file("modules.builtin", text, strlen(text));
}

static void order_of(const struct module_set *set, char *text, size_t size)
{
	text[0] = '\0';
	for (size_t i = 0; i < set->count; i++)
		snprintf(text + strlen(text), size - strlen(text), "%s%s", i ? " " : "", set->modules[i].name);
}

TEST_WITH(orders_by_dependency, set_up, tear_down)
{
	struct module_set set;
	char order[256];

	add_builtin("kernel/drivers/virtio/virtio.ko\nkernel/net/9p/9pnet.ko\n");
	add_module("virtio_pci.ko", "virtio_ring,virtio,virtio-pci-modern-dev");
	add_module("virtio_ring.ko", "");
	add_module("virtio-pci-modern-dev.ko", "virtio_ring");
	add_module("9p.ko", "9pnet,netfs");
	add_module("9pnet_virtio.ko", "9pnet,virtio_ring");
	add_module("netfs.ko", "");
	assert_int_equal(modules_collect(&files, FEATURE_PCI | FEATURE_9P, &set, NULL), STATUS_OK);
	order_of(&set, order, sizeof(order));
	assert_string_equal(order, "virtio_ring virtio_pci_modern_dev virtio_pci 9pnet_virtio netfs 9p");
	assert_int_equal(set.available, FEATURE_PCI | FEATURE_9P);
	assert_string_equal(set.missing, "");
	assert_false(set.assumed);
	assert_int_equal(set.modules[0].bytes.length, MADE_MODULE_LENGTH);
	modules_free(&set);
}

TEST_WITH(tells_what_is_missing, set_up, tear_down)
{
	struct module_set set;

	add_builtin("kernel/drivers/virtio/virtio_pci.ko\n");
	add_module("9pnet_virtio.ko", "");
	add_module("9p.ko", "gone");
	assert_int_equal(modules_collect(&files, FEATURE_PCI | FEATURE_9P | FEATURE_NULL_BLOCK, &set, NULL), STATUS_OK);
	assert_int_equal(set.available, FEATURE_PCI);
	assert_string_equal(set.missing, "9p (gone), null-blk (null_blk)");
	assert_int_equal(set.count, 0); /* what the failed feature had brought is gone */
	modules_free(&set);
}

TEST_WITH(configuration_tells_where_there_is_no_list, set_up, tear_down)
{
	struct module_set set;

	files.modules[0] = '\0';
	buffer_text(&files.config, "# a comment\nCONFIG_VIRTIO_PCI=y\nCONFIG_9P_FS=m\nCONFIG_NET_9P_VIRTIO=y\n"
				   "# CONFIG_BLK_DEV_NULL_BLK is not set\nCONFIG_VIRTIO_CONSOLE=y");
	assert_int_equal(modules_collect(&files, FEATURE_ALL, &set, NULL), STATUS_OK);
	assert_int_equal(set.available, FEATURE_PCI | FEATURE_PORT);
	assert_non_null(strstr(set.missing, "9p (9p)"));
	assert_non_null(strstr(set.missing, "null-blk"));
	assert_false(set.assumed);
	modules_free(&set);
	buffer_clear(&files.config);
	assert_int_equal(modules_collect(&files, FEATURE_ALL, &set, NULL), STATUS_OK);
	assert_int_equal(set.available, FEATURE_ALL);
	assert_true(set.assumed);
	modules_free(&set);
}

TEST_WITH(a_circle_is_an_error, set_up, tear_down)
{
	struct module_set set;
	struct error err = {0};

	add_builtin("");
	add_module("virtio_pci.ko", "a");
	add_module("a.ko", "b");
	add_module("b.ko", "a");
	assert_int_equal(modules_collect(&files, FEATURE_PCI, &set, &err), STATUS_CORRUPT);
	assert_non_null(strstr(err.what, "circular"));
	modules_free(&set);
}

TEST_WITH(names_a_damaged_module, set_up, tear_down)
{
	struct module_set set;
	struct error err = {0};

	add_builtin("");
	add_file("kernel/drivers/virtio_pci.ko",
		 "\x7f"
		 "ELF",
		 4);
	assert_int_equal(modules_collect(&files, FEATURE_PCI, &set, &err), STATUS_CORRUPT);
	assert_non_null(strstr(err.where, "virtio_pci.ko"));
	modules_free(&set);
	add_file("kernel/drivers/virtio_pci.ko",
		 "\xfd"
		 "7zXZ\0 not really",
		 17);
	assert_int_equal(modules_collect(&files, FEATURE_PCI, &set, &err), STATUS_CORRUPT);
	assert_non_null(strstr(err.where, "virtio_pci.ko"));
	modules_free(&set);
}

TEST_WITH(unpacks_by_the_machines_tools, set_up, tear_down)
{
	static const struct {
		const char *tool, *end;
	} tools[] = {{"xz", "xz"}, {"gzip", "gz"}, {"zstd", "zst"}};
	struct module_set set;
	static const char path[] = "kernel/drivers/virtio_console.ko";
	char command[300];

	add_builtin("");
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		snprintf(command, sizeof(command), "command -v %s >/dev/null", tools[i].tool);
		if (system(command) != 0) {
			print_message("%s is not installed: not tried\n", tools[i].tool);
			continue;
		}
		add_module("virtio_console.ko", "");
		snprintf(command, sizeof(command), "%s -q -c '%s' > '%s.%s' && rm '%s'", tools[i].tool, path, path,
			 tools[i].end, path);
		assert_int_equal(system(command), 0);
		assert_int_equal(modules_collect(&files, FEATURE_PORT, &set, NULL), STATUS_OK);
		assert_int_equal(set.count, 1);
		assert_int_equal(set.modules[0].bytes.length, MADE_MODULE_LENGTH);
		assert_memory_equal(set.modules[0].bytes.data,
				    "\x7f"
				    "ELF",
				    4);
		modules_free(&set);
		snprintf(command, sizeof(command), "rm '%s.%s'", path, tools[i].end);
		assert_int_equal(system(command), 0);
	}
}

TEST_WITH(says_which_tool_is_missing, set_up, tear_down)
{
	struct module_set set;
	struct error err = {0};
	char *path = strdup(getenv("PATH"));

	add_builtin("");
	add_file("kernel/drivers/virtio_pci.ko.xz",
		 "\xfd"
		 "7zXZ\0",
		 6);
	setenv("PATH", "/nonexistent", 1);
	enum status status = modules_collect(&files, FEATURE_PCI, &set, &err);
	setenv("PATH", path, 1);
	free(path);
	modules_free(&set);
	assert_int_equal(status, STATUS_SYSTEM);
	assert_non_null(strstr(err.where, "virtio_pci.ko.xz"));
	assert_non_null(strstr(err.what, "xz"));
	assert_non_null(strstr(err.remedy, "xz-utils"));
}
