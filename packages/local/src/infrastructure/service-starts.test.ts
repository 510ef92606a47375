import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { forbidServiceStarts } from './service-starts.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-policy-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'policy-rc.d')

test('prevents services from starting until it is released', () => {
  const allow = forbidServiceStarts(file)
  expect(readFileSync(file, 'utf8')).toMatch(/^#!\/bin\/sh\n[^]*\nexit 101\n$/)
  allow()
  expect(existsSync(file)).toBe(false)
})

test('replaces the file of a killed process', () => {
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
  ['of somebody else', () => writeFileSync(file, '#!/bin/sh\nexit 101\n')],
])('leaves the file %s alone', (_, make) => {
  make()
  const before = readFileSync(file, 'utf8')
  forbidServiceStarts(file)()
  expect(readFileSync(file, 'utf8')).toBe(before)
  rmSync(file)
})
