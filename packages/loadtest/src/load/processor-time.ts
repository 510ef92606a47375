import { readdirSync, readFileSync } from 'node:fs'

/** Length of a tick of the processor times in /proc, which is the same on every Linux. */
const tickSeconds = 0.01

/** A process as reported by /proc. `seconds`: processor time of the process and its terminated children. */
export type SeenProcess = { pid: number; parent: number; name: string; seconds: number; wakeUps: number }

/** Every process of the machine. Throws where there is no /proc. */
export function seeProcesses(): SeenProcess[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => seeProcess(Number(pid)) ?? [])
}

/** Processor seconds and wake-ups of a process and all its descendants. */
export function sumOfTree(all: readonly SeenProcess[], root: number): { seconds: number; wakeUps: number } {
  const sum = { seconds: 0, wakeUps: 0 }
  for (const { seconds, wakeUps } of treeOf(all, root)) {
    sum.seconds += seconds
    sum.wakeUps += wakeUps
  }
  return sum
}

/** A process and all its descendants. */
export function treeOf(all: readonly SeenProcess[], root: number): SeenProcess[] {
  const here = all.filter(({ pid }) => pid === root)
  return [...here, ...all.filter(({ parent }) => parent === root).flatMap(({ pid }) => treeOf(all, pid))]
}

/** Processor time of all descendants of this process, in milliseconds. */
export function childrenMs(all = seeProcesses()): number {
  const children = all.filter(({ parent }) => parent === process.pid)
  return children.reduce((sum, { pid }) => sum + 1000 * sumOfTree(all, pid).seconds, 0)
}

/** Undefined if the process has ended. */
function seeProcess(pid: number): SeenProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in brackets, may hold blanks and brackets.
    const end = stat.lastIndexOf(')')
    const fields = stat.slice(end + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return {
      pid,
      parent: Number(fields[1]),
      name: stat.slice(stat.indexOf('(') + 1, end),
      seconds: ticks * tickSeconds,
      wakeUps: wakeUpsOf(pid),
    }
  } catch {
    return undefined
  }
}

/** How often the threads of a process went to sleep voluntarily. */
function wakeUpsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads.reduce((sum, thread) => {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8')
    return sum + Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0)
  }, 0)
}
