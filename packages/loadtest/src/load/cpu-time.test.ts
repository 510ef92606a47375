import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fork, type ChildProcess } from 'node:child_process'
import { afterEach, expect, test } from '@jest/globals'
import { measureCpu } from './cpu-time.ts'

const testOnLinux = existsSync('/proc/self/stat') ? test : test.skip
/** Works for a tenth of a second of CPU time per message, then answers. */
const worker = `process.on('message', () => {
  const before = process.cpuUsage()
  while (process.cpuUsage(before).user < 100_000);
  process.send('done')
}); process.send('ready')`

const children: ChildProcess[] = []
afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')))

async function startWorker(): Promise<ChildProcess & { pid: number }> {
  const child = fork('-e', [worker], { execArgv: [] })
  children.push(child)
  await once(child, 'message')
  return Object.assign(child, { pid: child.pid ?? 0 })
}

async function work(child: ChildProcess): Promise<void> {
  child.send('work')
  await once(child, 'message')
}

testOnLinux('CPU time is divided by the count and listed by process; excluded processes are left out', async () => {
  const [messaging, other] = [await startWorker(), await startWorker()]
  const services = [
    { name: 'messaging', pid: messaging.pid, internalPort: 0 },
    { name: 'other', pid: other.pid, internalPort: 0 },
  ]
  const cpuPer = measureCpu(services, new Set([other.pid]))
  await work(messaging)
  await work(other)
  // The process of the tests may have other children, which are counted too.
  const { ms, processes } = cpuPer(1)
  expect(processes).not.toHaveProperty('other')
  expect(ms).toBe(Object.values(processes).reduce((sum, part) => sum + part, 0))
  // What the child used for its work, minus what the kernel has not counted yet.
  expect(processes['messaging']).toBeGreaterThanOrEqual(80)
  expect(cpuPer(1000).processes['messaging']).toBeLessThan(80)
})
