import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { forbidServiceStarts } from './service-starts.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-policy-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'policy-rc.d')

test('policy-rc.d forbids service starts until it is removed', () => {
  const allow = forbidServiceStarts(file)
  expect(readFileSync(file, 'utf8')).toMatch(/^#!\/bin\/sh\n[^]*\nexit 101\n$/)
  allow()
  expect(existsSync(file)).toBe(false)
})

test('the policy-rc.d of a killed process is replaced', () => {
  forbidServiceStarts(file)
  const left = readFileSync(file, 'utf8').replace(/"startedAt":"[^"]*"/, '"startedAt":"before"')
  writeFileSync(file, left)
  const allow = forbidServiceStarts(file)
  expect(readFileSync(file, 'utf8')).not.toBe(left)
  allow()
  expect(existsSync(file)).toBe(false)
})

test.each([
  ['of a living process', () => void forbidServiceStarts(file)],
  ['of another program', () => writeFileSync(file, '#!/bin/sh\nexit 101\n')],
])('the policy-rc.d %s is left unchanged', (_, make) => {
  make()
  const before = readFileSync(file, 'utf8')
  forbidServiceStarts(file)()
  expect(readFileSync(file, 'utf8')).toBe(before)
  rmSync(file)
})
