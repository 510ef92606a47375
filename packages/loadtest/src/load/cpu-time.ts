import { readdirSync, readFileSync } from 'node:fs'
import type { Fleet } from '@parley/local'

/** 100 per second (USER_HZ) on Linux. */
const tickSeconds = 0.01

/** `seconds`: CPU time of the process and its terminated children. `wakeUps`: see {@link countWakeUps}. */
export type ProcessInfo = { pid: number; parent: number; name: string; seconds: number; wakeUps: number }

export function listProcesses(): ProcessInfo[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => readProcess(Number(pid)) ?? [])
}

/** Sums a process and all its descendants. */
export function sumTree(all: readonly ProcessInfo[], root: number): { seconds: number; wakeUps: number } {
  const sum = { seconds: 0, wakeUps: 0 }
  for (const { seconds, wakeUps } of listTree(all, root)) {
    sum.seconds += seconds
    sum.wakeUps += wakeUps
  }
  return sum
}

export function listTree(all: readonly ProcessInfo[], root: number): ProcessInfo[] {
  const here = all.filter(({ pid }) => pid === root)
  return [...here, ...all.filter(({ parent }) => parent === root).flatMap(({ pid }) => listTree(all, pid))]
}

/** All measured processes together, and each by name. */
export type CpuTime = { ms: number; processes: Record<string, number> }

/**
 * Starts to measure the CPU time of this process's children, each with its descendants. The returned function returns
 * the CPU time since the start, divided by `count`. Processes have the names of the services in the fleet, or else of
 * their programs. Children in `excluded`, and those that have ended, are not counted.
 */
export function measureCpu(
  services: Fleet['services'],
  excluded: ReadonlySet<number> = new Set(),
): (count: number) => CpuTime {
  const names = new Map(services.map(({ pid, name }) => [pid, name]))
  const before = listProcesses()
  return (count) => {
    const after = listProcesses()
    const processes: Record<string, number> = {}
    for (const { pid, name } of after.filter(({ parent, pid }) => parent === process.pid && !excluded.has(pid))) {
      const ms = (1000 * (sumTree(after, pid).seconds - sumTree(before, pid).seconds)) / count
      const label = names.get(pid) ?? name
      processes[label] = (processes[label] ?? 0) + ms
    }
    return { ms: Object.values(processes).reduce((sum, ms) => sum + ms, 0), processes }
  }
}

function readProcess(pid: number): ProcessInfo | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in brackets, may contain spaces and brackets.
    const end = stat.lastIndexOf(')')
    const fields = stat.slice(end + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return {
      pid,
      parent: Number(fields[1]),
      name: stat.slice(stat.indexOf('(') + 1, end),
      seconds: ticks * tickSeconds,
      wakeUps: countWakeUps(pid),
    }
  } catch {
    return undefined
  }
}

/** Counts how often the threads of a process went to sleep voluntarily; each time, something wakes them up again. */
function countWakeUps(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads.reduce((sum, thread) => {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8')
    return sum + Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0)
  }, 0)
}
