import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { Secrets } from './secrets.ts'

const dir = mkdtempSync(join(tmpdir(), 'parley-local-'))
const file = join(dir, 'secrets.json')
afterAll(() => rmSync(dir, { recursive: true, force: true }))

test('a secret is generated once and stored in a file that only its owner can read', () => {
  const made = new Secrets(file).get('redis')
  expect(made).toMatch(/^p[0-9a-f]{48}$/)
  expect(new Secrets(file).get('redis')).toBe(made)
  expect(new Secrets(file).get('core')).not.toBe(made)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a secret is stored when it is set, and removed when it is deleted', () => {
  const secrets = new Secrets(file)
  secrets.set('pending', 'value')
  expect(new Secrets(file).peek('pending')).toBe('value')
  secrets.delete('pending')
  expect(new Secrets(file).peek('pending')).toBeUndefined()
  expect(readFileSync(file, 'utf8')).not.toContain('value')
})

test('a damaged file is not overwritten with new secrets', () => {
  const damaged = join(dir, 'damaged.json')
  writeFileSync(damaged, '{"core":')
  expect(() => new Secrets(damaged)).toThrow(/damaged.json is damaged/)
  expect(readFileSync(damaged, 'utf8')).toBe('{"core":')
})
