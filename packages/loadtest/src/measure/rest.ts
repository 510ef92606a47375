import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Fleet } from '@parley/local'
import { startProgram } from '../load/child.ts'
import { proportionalKib } from '../load/memory.ts'
import { listProcesses, sumTree, listTree } from '../load/cpu-time.ts'
import type { Report } from '../report.ts'

const settleSeconds = 90
const restSeconds = 60
const floorEveryMs = 500
const maxPercent = 2
const maxMiB = (services: number) => (services > 2 ? 450 : 250)

export async function measureRest(fleet: Fleet, startedAt: number, report: Report): Promise<void> {
  if (!existsSync('/proc/self/task')) return console.error('at rest: not measured, this system has no /proc')
  using floor = await startProgram('idle', [])
  await sleep(startedAt + settleSeconds * 1000 - performance.now())
  const floorMs = measureFloor(floor)
  const before = listProcesses()
  const start = performance.now()
  await sleep(restSeconds * 1000)
  const after = listProcesses()
  const seconds = (performance.now() - start) / 1000

  const services = new Map(fleet.services.map(({ name, pid }) => [pid, name]))
  let sum = 0
  let memoryKib = 0
  const deployables = { seconds: 0, wakeUps: 0 }
  // Services and servers are children of this process.
  for (const { pid, name } of before.filter(({ parent }) => parent === process.pid)) {
    if (pid === floor.child.pid) continue
    const [first, last] = [sumTree(before, pid), sumTree(after, pid)]
    const percent = (100 * (last.seconds - first.seconds)) / seconds
    const label = services.get(pid) ?? name
    sum += percent
    memoryKib += listTree(after, pid).reduce((kib, { pid: one }) => kib + proportionalKib(one), 0)
    if (services.has(pid)) {
      deployables.seconds += last.seconds - first.seconds
      deployables.wakeUps += last.wakeUps - first.wakeUps
    }
    report.add(`at rest, ${label}`, percent, '% of a core')
    report.add(`at rest, wake-ups of ${label}`, (last.wakeUps - first.wakeUps) / seconds, '1/s')
  }
  report.add(`at rest, all together (target: below ${maxPercent})`, sum, '% of a core')
  const budget = maxMiB(fleet.services.length)
  report.add('at rest, memory of all processes', memoryKib / 1024, 'MiB', undefined, budget)
  report.add(
    'at rest, a wake-up of the deployables',
    (1000 * deployables.seconds) / deployables.wakeUps,
    'ms',
    await floorMs,
  )
}

/** Milliseconds of CPU time in which a Node.js process without other work answers a few bytes. */
async function measureFloor({ child, ready }: { child: ChildProcess; ready: unknown }): Promise<number> {
  const readCpuMs = async (): Promise<number> => {
    child.send('how much')
    return Number((await once(child, 'message'))[0])
  }
  const socket = connect(Number(ready), '127.0.0.1').resume()
  await once(socket, 'connect')
  const before = await readCpuMs()
  const times = (restSeconds * 1000) / floorEveryMs
  for (let i = 0; i < times; i++) {
    await sleep(floorEveryMs)
    socket.write('PING\r\n')
  }
  // Destroying the socket would end the server with an error if it still sends an answer.
  socket.end()
  return ((await readCpuMs()) - before) / times
}
