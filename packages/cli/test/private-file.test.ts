import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { writePrivately } from '../src/private-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-private-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a file is readable only by its owner, even if it replaces one readable by everybody', async () => {
  const path = join(folder, 'a')
  writeFileSync(path, 'old')
  chmodSync(path, 0o644)
  expect(await writePrivately(path, (take) => take('new').then(() => 7))).toBe(7)
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777, readdirSync(folder)]).toEqual(['new', 0o600, ['a']])
})

test('an incomplete write leaves the old file', async () => {
  const path = join(folder, 'a')
  writeFileSync(path, 'old')
  const half = writePrivately(path, async (take) => {
    await take('ne')
    throw new Error('the fleet is unavailable')
  })
  await expect(half).rejects.toThrow('the fleet is unavailable')
  expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['old', ['a']])
})

test('two concurrent writers do not publish each other’s unfinished file', async () => {
  const path = join(folder, 'a')
  const { promise: waited, resolve: goOn } = Promise.withResolvers<void>()
  const slow = writePrivately(path, async (take) => {
    await take('slow, first half')
    await waited
    await take(', second half')
  })
  await writePrivately(path, (take) => take('quick'))
  expect(readFileSync(path, 'utf8')).toBe('quick')
  goOn()
  await slow
  expect(readFileSync(path, 'utf8')).toBe('slow, first half, second half')
})

test('a failed write is reported, and only regular files are replaced', async () => {
  const refusal = { exitCode: 1, code: 'failed_precondition' }
  await expect(writePrivately(join(folder, 'none/a'), (take) => take('x'))).rejects.toMatchObject(refusal)
  execFileSync('mkfifo', [join(folder, 'pipe')])
  await expect(writePrivately(join(folder, 'pipe'), (take) => take('x'))).rejects.toMatchObject(refusal)
  expect(statSync(join(folder, 'pipe')).isFIFO()).toBe(true)
})
