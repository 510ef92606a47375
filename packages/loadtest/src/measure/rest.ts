import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Fleet } from '@parley/local'
import { seeProcesses, sumOfTree } from '../load/processor-time.ts'
import type { Report } from '../report.ts'

/** What a start leaves to do is done by then: a process that becomes idle frees what it no longer needs, several times. */
const settleSeconds = 60
const restSeconds = 60
const mostPercent = 2

/** What a fleet takes of one core while nobody does anything: each process with its children, and all together. */
export async function measureRest(fleet: Fleet, report: Report): Promise<void> {
  if (!existsSync('/proc/self/task')) return console.error('at rest: not measured, this system has no /proc')
  await sleep(settleSeconds * 1000)
  const before = seeProcesses()
  const start = performance.now()
  await sleep(restSeconds * 1000)
  const after = seeProcesses()
  const seconds = (performance.now() - start) / 1000

  const services = new Map(fleet.services.map(({ name, pid }) => [pid, name]))
  let sum = 0
  // Services and servers are children of this process.
  for (const { pid, name } of before.filter(({ parent }) => parent === process.pid)) {
    const [first, last] = [sumOfTree(before, pid), sumOfTree(after, pid)]
    const percent = (100 * (last.seconds - first.seconds)) / seconds
    const label = services.get(pid) ?? name
    sum += percent
    report.add(`at rest, ${label}`, percent, '% of a core')
    report.add(`at rest, wake-ups of ${label}`, (last.wakeUps - first.wakeUps) / seconds, '1/s')
  }
  report.add(`at rest, all together (target: below ${mostPercent})`, sum, '% of a core')
}
