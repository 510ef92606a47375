import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { build } from 'esbuild'
import { packageBundle } from '../bundle-options.mjs'
import { followSources } from '../follow-sources.mjs'

let root
let followed
let reports
let waiting

const write = (file, content) => writeFileSync(join(root, file), content)
const says = (name) => execFileSync(process.execPath, [join(root, name, 'dist/main.js')], { encoding: 'utf8' }).trim()
const report = (what) => {
  reports.push(what)
  waiting?.()
}
async function untilReported(count) {
  while (reports.length < count) await new Promise((resolve) => (waiting = resolve))
}

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'parley-follow-')))
  reports = []
  mkdirSync(join(root, 'shared'))
  write('shared/greeting.ts', `export const greeting: string = 'hello'`)
  for (const name of ['one', 'two']) {
    mkdirSync(join(root, name, 'src'), { recursive: true })
    write(`${name}/package.json`, JSON.stringify({ name, type: 'module' }))
    write(
      `${name}/src/main.ts`,
      `import { greeting } from '../../shared/greeting.ts'\nconsole.log(greeting, '${name}')`,
    )
    await build(packageBundle(join(root, name)))
  }
  followed = await followSources({
    folders: ['one', 'two'].map((name) => join(root, name)),
    sources: [root],
    onBuilt: (name) => report(`${name} built`),
    onBroken: (name, why) => report(`${name} broken: ${/error.*/i.exec(why)?.[0]}`),
  })
})
afterEach(async () => {
  await followed[Symbol.asyncDispose]()
  rmSync(root, { recursive: true })
})

test('an edit builds only the service that it belongs to', async () => {
  write('one/src/main.ts', `console.log('changed')`)
  await untilReported(1)
  expect([reports, says('one'), says('two')]).toEqual([['one built'], 'changed', 'hello two'])
})

test('a file saved by renaming another over it is still watched', async () => {
  for (const what of ['first', 'second']) {
    write('one/src/main.ts~', `console.log('${what}')`)
    renameSync(join(root, 'one/src/main.ts~'), join(root, 'one/src/main.ts'))
    await untilReported(what === 'first' ? 1 : 2)
    expect(says('one')).toBe(what)
  }
})

test('an edit of a shared file builds all services that use it', async () => {
  write('shared/greeting.ts', `export const greeting: string = 'good day'`)
  await untilReported(2)
  expect([reports.sort(), says('one'), says('two')]).toEqual([
    ['one built', 'two built'],
    'good day one',
    'good day two',
  ])
})

test('a failed build leaves the program unchanged until a build succeeds', async () => {
  const before = readFileSync(join(root, 'one/dist/main.js'), 'utf8')
  write('one/src/main.ts', `console.log(`)
  await untilReported(1)
  const broken = 'one broken: ERROR] Unexpected end of file'
  expect([reports, readFileSync(join(root, 'one/dist/main.js'), 'utf8')]).toEqual([[broken], before])
  write('one/src/main.ts', `console.log('mended')`)
  await untilReported(2)
  expect([reports, says('one')]).toEqual([[broken, 'one built'], 'mended'])
})

test('adding a missing file repairs the build of the service that imports it', async () => {
  write('one/src/main.ts', `import './late.ts'`)
  await untilReported(1)
  write('one/src/late.ts', `console.log('late')`)
  await untilReported(2)
  expect([reports, says('one')]).toEqual([['one broken: ERROR] Could not resolve "./late.ts"', 'one built'], 'late'])
})
