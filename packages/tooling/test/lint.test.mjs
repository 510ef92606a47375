import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import config from '../../../oxlint.config.ts'
import { inWorkspace } from '../steps.mjs'
import { allowedFiles, violations } from './fixtures/lint-violations.mjs'

const violating = Object.entries(violations).flatMap(([rule, code]) => {
  const files = typeof code === 'string' ? { [`services/rooms/src/${rule.replace('/', '-')}.ts`]: code } : code
  return Object.entries(files).map(([path, text]) => ({ rule, path, text }))
})
const allowed = Object.entries(allowedFiles).map(([path, text]) => ({ path, text }))

let root
let reported
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'parley-lint-'))
  for (const { path, text } of [...violating, ...allowed]) write(path, `${text}\n`)
  for (const name of ['contracts', 'ids', 'config', 'testkit'])
    mkdirSync(join(root, 'packages', name), { recursive: true })
  copyFileSync(inWorkspace('oxlint.config.ts'), join(root, 'oxlint.config.ts'))
  mkdirSync(join(root, 'node_modules'))
  // Link only oxlint: in the whole of node_modules it would follow links without end.
  symlinkSync(inWorkspace('node_modules/oxlint'), join(root, 'node_modules/oxlint'))
  const compilerOptions = { typeRoots: [inWorkspace('node_modules/@types')] }
  write('tsconfig.json', JSON.stringify({ extends: inWorkspace('tsconfig.base.json'), compilerOptions }))
  reported = lint()
})
afterAll(() => rmSync(root, { recursive: true }))

function write(path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

function lint() {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [inWorkspace('node_modules/oxlint/bin/oxlint'), '--format=json'],
    {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, OXLINT_TSGOLINT_PATH: inWorkspace('node_modules/.bin/tsgolint') },
      timeout: 60_000,
      killSignal: 'SIGKILL',
    },
  )
  if (!stdout.startsWith('{')) throw new Error(`${stdout}${stderr}`)
  return JSON.parse(stdout).diagnostics
}

const found = (path) => [...new Set(reported.filter(({ filename }) => filename === path).map(({ code }) => code))]

/** The name of a rule as oxlint reports it. */
const reportedAs = (rule) => {
  const [plugin, name] = rule.includes('/') ? rule.split('/') : ['eslint', rule]
  return `${plugin}(${name})`
}

test.each(violating)('a violation of $rule is reported in $path', ({ rule, path }) => {
  expect(found(path)).toContain(reportedAs(rule))
})

test.each(allowed)('nothing is reported in $path', ({ path }) => {
  expect(found(path)).toEqual([])
})

test('every rule has an example that violates it', () => {
  const rules = [config, ...config.overrides].flatMap((part) => Object.keys(part.rules))
  expect(Object.keys(violations).sort()).toEqual([...new Set(rules)].sort())
})
