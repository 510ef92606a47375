import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { firstError, outcomeOf } from '../testing/outcome.mjs'
import { runSuites } from '../testing/run-suites.mjs'

const config = 'packages/tooling/test/fixtures/suite/jest.config.mjs'
const baseNames = (files) => files.map(({ path }) => basename(path, '.suite.mjs')).sort()

let state
beforeEach(() => {
  state = process.env.STATE = mkdtempSync(join(tmpdir(), 'parley-suite-'))
})
afterEach(() => {
  delete process.env.STATE
  rmSync(state, { recursive: true })
})

async function run(pattern, options = {}) {
  const seen = { total: 0, first: [], second: [], announced: [], errorLines: [] }
  const {
    files,
    again,
    broken: brokenCount,
  } = await runSuites([{ config, args: ['--runInBand'] }], {
    args: [pattern],
    onTotal: (total) => (seen.total += total),
    onFile: (file, isFirst) => (isFirst ? seen.first : seen.second).push(file),
    onErrorLine: (line) => seen.errorLines.push(line),
    onAgain: (file) => seen.announced.push(file),
    ...options,
  })
  const { passed, failed, skipped, unsteady } = outcomeOf(files, again)
  return { ...seen, files, brokenCount, counts: { passed, failed, skipped: skipped.length }, unsteady }
}

test('passed and skipped tests are counted, and each file is reported', async () => {
  const { counts, total, first, announced, unsteady, brokenCount } = await run('steady.suite')
  expect(counts).toEqual({ passed: 1, failed: 0, skipped: 1 })
  expect([total, baseNames(first), announced, unsteady, brokenCount]).toEqual([1, ['steady'], [], [], 0])
})

test('up to three files that pass when they run again are unsteady and count as passed', async () => {
  const { counts, announced, second, unsteady } = await run('unsteady-[1-3]')
  const three = ['unsteady-1', 'unsteady-2', 'unsteady-3']
  expect(counts).toEqual({ passed: 3, failed: 0, skipped: 0 })
  expect([baseNames(announced), baseNames(second), baseNames(unsteady)]).toEqual([three, three, three])
  expect(unsteady.map(firstError)).toEqual(['not yet', 'not yet', 'not yet'])
})

test('with four failed files none runs again, and all count as failed', async () => {
  const { counts, announced, unsteady } = await run('unsteady')
  expect(counts).toEqual({ passed: 0, failed: 4, skipped: 0 })
  expect([announced, unsteady]).toEqual([[], []])
})

test('a file that fails again counts as failed, even if another is unsteady', async () => {
  const { counts, unsteady } = await run('(failing|unsteady-1)')
  expect(counts).toEqual({ passed: 1, failed: 1, skipped: 0 })
  expect(baseNames(unsteady)).toEqual(['unsteady-1'])
})

test('a file that throws when it is loaded counts as a failed test', async () => {
  const { counts, files, brokenCount } = await run('unreadable')
  expect([counts, brokenCount]).toEqual([{ passed: 0, failed: 1, skipped: 0 }, 0])
  expect(firstError(files[0])).toContain('cannot be read')
})

test('with `once`, failed files do not run again', async () => {
  const { counts, announced } = await run('unsteady-1', { once: true })
  expect(counts).toEqual({ passed: 0, failed: 1, skipped: 0 })
  expect(announced).toEqual([])
})

test('a suite that fails without a failed file is reported, with its error output', async () => {
  const { brokenCount, files, errorLines } = await run('steady.suite', { args: ['--shard=3/2'] })
  expect([brokenCount, files]).toEqual([1, []])
  expect(errorLines[0]).toContain('shard option')
})

test('unit tests that start a server fail and say where they belong', async () => {
  process.env.PARLEY_TEST_POSTGRES_URL ??= 'postgres://127.0.0.1:1'
  const { counts, first } = await run('starts-a-server', { once: true })
  expect(counts).toEqual({ passed: 2, failed: 1, skipped: 0 })
  expect(first[0].failure).toContain('a test under src/ may not start nats-server: move the file to test/')
})
