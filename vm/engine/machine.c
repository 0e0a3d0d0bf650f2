/* SPDX-License-Identifier: MIT
 *
 * The parts that both engines share: kernel arguments, CPUs, ports and disks. */
#include "vm/engine/emulator.h"

#include "vm/engine/channels.h"
#include "vm/protocol/job.h"

unsigned int machine_all_cpus(const struct machine *machine)
{
	return machine->cpus + (machine->no_isolated_cpu ? 0 : 1);
}

bool machine_exceeds(const struct machine *machine, unsigned int host_cpus)
{
	return machine->accelerator == ACCELERATOR_KVM && machine_all_cpus(machine) > host_cpus;
}

/* Each last-level cache is a socket: kernels show the cache of a socket for CPUs of all vendors. The tracer's CPU is a
 * socket, too. */
static unsigned int count_sockets(const struct machine *machine)
{
	return topology_caches(&machine->topology) + (machine->no_isolated_cpu ? 0 : 1);
}

void machine_processors(const struct machine *machine, struct buffer *out)
{
	const struct topology *topology = &machine->topology;
	const unsigned int socket_cpus = topology_cache_cpus(topology, machine->cpus);

	buffer_printf(out, "%u", machine_all_cpus(machine));
	if (topology_is_given(topology))
		buffer_printf(out, ",sockets=%u,cores=%u,threads=%u,maxcpus=%u", count_sockets(machine),
			      socket_cpus / topology_core_cpus(topology), topology_core_cpus(topology),
			      count_sockets(machine) * socket_cpus);
}

static void isolate(const struct machine *machine, struct buffer *out)
{
	unsigned int isolated = machine->cpus;

	/* With isolcpus=domain the kernel enables no scheduler of sched_ext. */
	buffer_printf(out, " isolcpus=managed_irq%s,%u", machine->keeps_domain ? "" : ",domain", isolated);
	if (isolated > 1)
		buffer_printf(out, " irqaffinity=0-%u", isolated - 1);
	else
		buffer_text(out, " irqaffinity=0");
	if (machine->nohz_full)
		buffer_printf(out, " nohz_full=%u", isolated);
	if (machine->rcu_nocbs)
		buffer_printf(out, " rcu_nocbs=%u", isolated);
}

void machine_kernel_line(const struct machine *machine, struct buffer *out)
{
	const struct architecture *architecture = machine->engine->architecture;

	/* The complete kernel log takes 0.1 s and shows where a kernel hangs. With a shell on the console, only errors.
	 */
	buffer_text(out, machine->shell ? "quiet loglevel=4" : "loglevel=7");
	buffer_text(out, " panic=-1");
	buffer_text(out, " oops=panic");
	buffer_text(out, architecture->arguments);
	if (!machine->no_isolated_cpu)
		isolate(machine, out);
	/* No hot-pluggable CPUs beside the tracer's; the kernel prints its scheduling domains. */
	if (topology_is_given(&machine->topology) || topology_has_kinds(&machine->topology))
		buffer_printf(out, " nr_cpus=%u sched_verbose", machine_all_cpus(machine));
	/* Instructions of mitigations take virtual time and differ between kernels. Entropy comes from the seed.
	 * Self-tests of the kernel's ciphers would overlap the first workload. */
	if (machine->deterministic)
		buffer_printf(out, " mitigations=off%s random.trust_cpu=on cryptomgr.notests",
			      architecture->deterministic_arguments);
	if (machine->shell)
		buffer_printf(out, " picknext.rows=%u picknext.columns=%u", machine->rows, machine->columns);
	if (machine->append)
		buffer_printf(out, " %s", machine->append);
}

void machine_port(const struct machine *machine, const char *bus, int channel, struct arguments *out)
{
	const char *file = channel_file((enum channel)channel);

	arguments_option(out, "-chardev", "socket,id=picknext-%s,path=%s/%s", file, machine->directory, file);
	arguments_option(out, "-device", "virtserialport,bus=%s.0,chardev=picknext-%s,name=%s", bus, file,
			 channel_port((enum channel)channel));
}

static void add_model(const struct machine *machine, enum processor_mode mode, struct arguments *out)
{
	const struct architecture *architecture = machine->engine->architecture;

	arguments_option(out, "-cpu", "%s%s", architecture->processors[mode].name,
			 topology_is_given(&machine->topology) ? architecture->processors[mode].with_topology : "");
}

static enum processor_mode wall_clock_mode(const struct machine *machine)
{
	return machine->accelerator == ACCELERATOR_KVM                    ? PROCESSOR_KVM
	       : machine->engine->qemu_major < ENGINE_DETERMINISTIC_MAJOR ? PROCESSOR_TCG_OLD
									  : PROCESSOR_TCG;
}

void machine_tree_options(const struct machine *machine, struct arguments *out)
{
	const enum processor_mode mode = machine->deterministic ? PROCESSOR_DETERMINISTIC : wall_clock_mode(machine);

	arguments_option(out, "-accel", mode == PROCESSOR_KVM ? "kvm" : "tcg");
	add_model(machine, mode, out);
	if (machine->deterministic)
		arguments_option(out, "-seed", "%llu", (unsigned long long)machine->seed);
}

static void add_processor(const struct machine *machine, struct arguments *out)
{
	const enum processor_mode mode = wall_clock_mode(machine);

	/* One thread for all CPUs has shorter maximal pauses than one thread per CPU, and no 9p stalls. */
	arguments_option(out, "-accel", mode == PROCESSOR_KVM ? "kvm" : "tcg,thread=single");
	add_model(machine, mode, out);
}

/* mapped-file: QEMU keeps the owners, modes and kinds of the guest's files beside them. On the host all are regular
 * files of mode 0600. Unlike mapped-xattr it works on each file system. */
static void add_9p(const struct machine *machine, struct arguments *out)
{
	arguments_option(out, "-fsdev",
			 "local,id=picknext-share,path=%s/" MACHINE_SHARE ",security_model=mapped-file,multidevs=remap",
			 machine->directory);
	arguments_option(out, "-device", "virtio-9p-pci,fsdev=picknext-share,mount_tag=virtme.initmount0");
}

/* The last node has the tracer's CPU too. */
static void add_node(const struct machine *machine, unsigned int node, struct arguments *out)
{
	const unsigned int nodes = topology_nodes(&machine->topology);
	const unsigned int cpus = topology_node_cpus(&machine->topology, machine->cpus);
	const unsigned int socket_cpus = topology_cache_cpus(&machine->topology, machine->cpus);
	const unsigned int last = node + 1 < nodes ? (node + 1) * cpus : count_sockets(machine) * socket_cpus;
	const uint64_t share_mb = machine->memory_mb / nodes;

	arguments_option(
	    out, "-object", "memory-backend-%s,id=picknext-memory%u,size=%lluM",
	    machine->share == SHARE_VIRTIOFS ? "memfd,share=on" : "ram", node,
	    (unsigned long long)(node + 1 < nodes ? share_mb : machine->memory_mb - share_mb * (nodes - 1)));
	if (nodes == 1)
		arguments_option(out, "-numa", "node,memdev=picknext-memory%u", node);
	else
		arguments_option(out, "-numa", "node,nodeid=%u,cpus=%u-%u,memdev=picknext-memory%u", node, node * cpus,
				 last - 1, node);
	for (unsigned int other = 0; other < node && machine->topology.distance; other++)
		arguments_option(out, "-numa", "dist,src=%u,dst=%u,val=%u", other, node, machine->topology.distance);
}

/* A single node needs no options, unless virtiofsd has to map the memory. */
static void add_memory(const struct machine *machine, struct arguments *out)
{
	const unsigned int nodes = topology_nodes(&machine->topology);

	for (unsigned int node = 0; node < nodes && (nodes > 1 || machine->share == SHARE_VIRTIOFS); node++)
		add_node(machine, node, out);
}

static void add_virtiofs(const struct machine *machine, struct arguments *out)
{
	arguments_option(out, "-chardev", "socket,id=picknext-virtiofs,path=%s/" MACHINE_VIRTIOFSD, machine->directory);
	arguments_option(out, "-device", "vhost-user-fs-pci,chardev=picknext-virtiofs,tag=virtme.initmount0");
}

static void add_shared_memory(const struct machine *machine, struct arguments *out)
{
	arguments_option(out, "-object",
			 "memory-backend-file,id=picknext-shared-memory,share=on,mem-path=%s/" MACHINE_SHARED_MEMORY
			 ",size=%llu",
			 machine->directory, MACHINE_SHARED_MEMORY_BYTES);
	arguments_option(out, "-device", "ivshmem-plain,memdev=picknext-shared-memory");
}

/* All clocks of the guest count instructions, and all random numbers come from the seed. The guest's writes are
 * synchronous: file, memory. */
static void add_deterministic(const struct machine *machine, struct arguments *out)
{
	if (machine->code_cache_mb)
		arguments_option(out, "-accel", "tcg,thread=single,tb-size=%u", machine->code_cache_mb);
	else
		arguments_option(out, "-accel", "tcg,thread=single");
	add_model(machine, PROCESSOR_DETERMINISTIC, out);
	arguments_option(out, "-icount", "shift=0,sleep=off,align=off");
	arguments_option(out, "-seed", "%llu", (unsigned long long)machine->seed);
	arguments_option(out, "-rtc", "base=2020-01-01T00:00:00,clock=vm");
	/* CPUs take turns, and a timer ends each turn. This filter without packets is a timer of 100 us: with 50 us the
	 * same work costs 1.6 times as much, with 200 us no less. */
	arguments_option(out, "-netdev", "hubport,id=picknext-turns,hubid=0");
	arguments_option(out, "-object", "filter-buffer,id=picknext-turn,netdev=picknext-turns,interval=100");
}

void machine_common_options(const struct machine *machine, struct arguments *out)
{
	add_memory(machine, out);
	if (machine->deterministic) {
		add_deterministic(machine, out);
		add_shared_memory(machine, out);
		return;
	}
	add_processor(machine, out);
	arguments_option(out, "-name", "debug-threads=on"); /* vm/engine/host_wait.c finds vCPUs by name */
	arguments_option(out, "-pidfile", "%s/" MACHINE_PID_FILE, machine->directory);
	if (machine->shared_memory) {
		add_shared_memory(machine, out);
	} else {
		arguments_option(out, "-device", "virtio-serial-pci,id=picknext-serial");
		machine_port(machine, "picknext-serial", CHANNEL_PROGRESS, out);
	}
	if (machine->share == SHARE_9P)
		add_9p(machine, out);
	else if (machine->share == SHARE_VIRTIOFS)
		add_virtiofs(machine, out);
	if (machine->scratch_disk) {
		arguments_option(out, "-drive",
				 "if=none,id=picknext-scratch,format=raw,cache=unsafe,file=%s/" MACHINE_SCRATCH,
				 machine->directory);
		arguments_option(out, "-device", "virtio-blk-pci,drive=picknext-scratch,serial=picknext-scratch");
	}
}

bool machine_console_is_file(const struct machine *machine)
{
	return !machine->shell;
}

unsigned int machine_channels(const struct machine *machine)
{
	unsigned int wanted = 0;

	if (!machine_console_is_file(machine))
		wanted |= 1u << CHANNEL_CONSOLE;
	if (!machine->shared_memory)
		wanted |= 1u << CHANNEL_PROGRESS;
	if (machine->engine->kind == ENGINE_QEMU && !machine->shared_memory && !machine->deterministic)
		wanted |= 1u << CHANNEL_OUTPUT | 1u << CHANNEL_ERRORS | 1u << CHANNEL_RESULT;
	return wanted;
}
