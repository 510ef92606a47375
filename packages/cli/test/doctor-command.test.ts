import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { runParley } from './_parley.ts'

const dir = mkdtempSync(join(tmpdir(), 'parley-cli-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** If the environment contains the URL of a server, the command takes all settings from there and needs no fleet. */
const env = { PARLEY_REDIS_URL: 'redis://127.0.0.1:1' }

type Printed = {
  result: string
  counts: Record<'ok' | 'warn' | 'fail', number>
  findings: { service: string; check: string; result: string; found: string; next: string }[]
}

test('the doctor prints the findings of several services as one JSON object', async () => {
  const { code, out, err } = await runParley(['doctor', 'gateway', 'rooms', '--json'], { dir, env })
  const { result, counts, findings } = JSON.parse(out) as Printed
  expect([code, result]).toEqual([1, 'fail'])
  expect(JSON.parse(err)).toMatchObject({ error: { code: 'failed_precondition' } })
  expect(counts.fail).toBe(findings.filter((finding) => finding.result === 'fail').length)
  expect(new Set(findings.map(({ service }) => service))).toEqual(new Set(['gateway', 'rooms']))
  expect(findings).toContainEqual({
    ...{ service: 'rooms', check: 'settings', result: 'fail' },
    found: expect.stringContaining('PARLEY_ROOMS_DATABASE_URL'),
    next: expect.stringContaining('parley config rooms'),
  })
})

test('a finding of several services is printed only once, with advice', async () => {
  const { code, out } = await runParley(['doctor', 'gateway', 'rooms'], { dir, env })
  expect(code).toBe(1)
  expect(
    out.match(/^warn {2}nats {2}\(gateway, rooms\)\n {6}not checked.*\n {6}-> Correct the settings/gm),
  ).toHaveLength(1)
  expect(out).toMatch(/^\d+ ok, \d+ warnings, \d+ failures$/m)
})

test('an invalid log level is reported, and Redis is still checked', async () => {
  const loud = { ...env, PARLEY_GENERAL_LOG_LEVEL: 'loud' }
  const { out } = await runParley(['doctor', 'gateway', '--json'], { dir, env: loud })
  const { findings } = JSON.parse(out) as Printed
  expect(findings).toContainEqual(
    expect.objectContaining({ check: 'settings', found: expect.stringContaining('PARLEY_GENERAL_LOG_LEVEL') }),
  )
  expect(findings).toContainEqual(expect.objectContaining({ check: 'redis.reach', result: 'fail' }))
})

test('one warning is counted in the singular', async () => {
  // The bus is not checked, because its settings are missing. This is the only warning for realtime.
  expect((await runParley(['doctor', 'realtime'], { dir, env })).out).toMatch(/^\d+ ok, 1 warning, \d+ failures$/m)
})

test('the doctor fails if no fleet has run on the folder and the environment names no server', async () => {
  expect(await runParley(['doctor'], { dir: join(dir, 'mistyped') })).toEqual({
    ...{ code: 3, out: '' },
    err: expect.stringMatching(/^parley: no fleet has run on .*mistyped; start one with make run/),
  })
})

test('the doctor refuses an unknown service', async () => {
  expect(await runParley(['doctor', 'nobody'], { dir })).toMatchObject({ code: 2 })
})
