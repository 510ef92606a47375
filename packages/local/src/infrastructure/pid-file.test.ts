import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { endLeftover, readPidFile, writePidFile } from './pid-file.ts'
import { identify, isAlive, programOf } from './process-identity.ts'

const dir = mkdtempSync(join(tmpdir(), 'parley-local-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

async function sleeper(ignored: string[] = []) {
  const code = `${JSON.stringify(ignored)}.forEach((s) => process.on(s, () => {})); console.log('up'); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'ignore'] })
  await once(child.stdout, 'data')
  return { pid: child.pid ?? 0, exited: once(child, 'exit') }
}

test('the process that a pid file names is ended', async () => {
  const file = join(dir, 'one.pid')
  const { pid, exited } = await sleeper()
  writePidFile(file, pid)
  expect(readPidFile(file)?.pid).toBe(pid)
  expect(await endLeftover(file, ['SIGTERM'])).toBe(true)
  expect((await exited)[1]).toBe('SIGTERM')
  expect(existsSync(file)).toBe(false)
})

test('a process that ignores gentler signals is ended by SIGKILL', async () => {
  const file = join(dir, 'stubborn.pid')
  const { pid, exited } = await sleeper(['SIGTERM'])
  writePidFile(file, pid)
  await endLeftover(file, ['SIGTERM'], 100)
  expect((await exited)[1]).toBe('SIGKILL')
})

test('another process that got the same pid is left alone', async () => {
  const file = join(dir, 'stranger.pid')
  const { pid } = await sleeper()
  writeFileSync(file, JSON.stringify({ pid, startedAt: 'long ago' }))
  expect(readPidFile(file)).toBeUndefined()
  expect(await endLeftover(file, ['SIGTERM'])).toBe(false)
  const identity = identify(pid)
  expect(identity && isAlive(identity)).toBe(true)
  process.kill(pid, 'SIGKILL')
})

test('a missing or damaged file yields no process', () => {
  expect(readPidFile(join(dir, 'missing.pid'))).toBeUndefined()
  writeFileSync(join(dir, 'damaged.pid'), '{"pid":')
  expect(readPidFile(join(dir, 'damaged.pid'))).toBeUndefined()
})

test('an ended process is not alive', async () => {
  const { pid, exited } = await sleeper()
  const identity = identify(pid)
  process.kill(pid, 'SIGKILL')
  await exited
  expect(identity && isAlive(identity)).toBe(false)
})

test('the program of a running process is found, and none for an unused pid', () => {
  expect(programOf(process.pid)).toBeTruthy()
  expect(programOf(0x7ffffff)).toBeUndefined()
})
