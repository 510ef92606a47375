import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { eventually } from '../../test/_eventually.ts'
import { rotateLogs, LogFile } from './log-file.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-logs-'))
  file = join(folder, 'rooms.log')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const onLinux = process.platform === 'linux' ? test : test.skip
const why = process.platform === 'linux' ? '' : ' (skipped: only Linux has /dev/full)'

onLinux(`lines lost on a full disk are counted in the log when there is room again${why}`, () => {
  symlinkSync('/dev/full', file)
  const log = new LogFile(file)
  log.append('one')
  log.append('two')
  rmSync(file)
  log.append('three')
  log.append('four')
  log.close()
  expect(readFileSync(file, 'utf8')).toBe('\n2 lines are missing here\nthree\nfour\n')
})

test('a log that grows too large keeps one older generation', async () => {
  const descriptor = openSync(file, 'a')
  writeSync(descriptor, 'x'.repeat(101))
  using _ = rotateLogs(folder, { maxBytes: 100, everyMs: 1 })
  await eventually(() => expect(readFileSync(file, 'utf8')).toBe(''))
  expect(readFileSync(`${file}.1`, 'utf8')).toHaveLength(101)
  writeSync(descriptor, 'next')
  expect(readFileSync(file, 'utf8')).toBe('next')
  writeSync(descriptor, 'y'.repeat(200))
  await eventually(() => expect(readFileSync(`${file}.1`, 'utf8')).toMatch(/^next/))
  closeSync(descriptor)
})

onLinux(`a log is also bounded on a full disk${why}`, async () => {
  symlinkSync('/dev/full', `${file}.1`)
  const log = new LogFile(file)
  log.append('x'.repeat(200))
  using _ = rotateLogs(folder, { maxBytes: 100, everyMs: 1 })
  await eventually(() => expect(readFileSync(file, 'utf8')).toBe(''))
  expect(existsSync(`${file}.1`)).toBe(false)
  log.close()
})
