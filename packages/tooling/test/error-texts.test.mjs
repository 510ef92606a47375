import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { inWorkspace } from '../steps.mjs'

/** The standard words of error messages, by code; most messages begin with them. Clients may match them. */
const standardWords = {
  PermissionDenied: /^(permission denied: |Registration is disabled$|account deactivated: )/,
  AlreadyExists: /already taken: /,
  Unauthenticated: /^(authentication required|invalid credentials|session expired|account not found)/,
}

const thrown = /new ConnectError\(\s*(['`])((?:(?!\1).)*)\1,\s*Code\.(\w+)/gs

const texts = readdirSync(inWorkspace('services')).flatMap((service) => {
  const src = inWorkspace(`services/${service}/src`)
  const files = readdirSync(src, { recursive: true }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  )
  return files.flatMap((file) =>
    [...readFileSync(`${src}/${file}`, 'utf8').matchAll(thrown)].map(([, , text, code]) => ({ code, text })),
  )
})

test.each(Object.keys(standardWords))('texts of %s have the standard words', (code) => {
  const ofCode = texts.filter((one) => one.code === code)
  expect(ofCode.length).toBeGreaterThan(1)
  expect(ofCode.filter(({ text }) => !standardWords[code].test(text))).toEqual([])
})
