import { existsSync, readFileSync, statSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { beforeAll, expect, test } from '@jest/globals'
import { declaredSettings } from '../declared-settings.mjs'
import { inWorkspace } from '../steps.mjs'

/** Leaves out installed packages, builds, data folders and fixtures. */
const exclude = (path) => /(^|\/)(node_modules|dist|\.data|fixtures)$/.test(path)
const root = inWorkspace('.')
const pages = await Array.fromAsync(glob('**/*.md', { cwd: root, exclude }))
const read = (page) => readFileSync(join(root, page), 'utf8')

/** The pages whose commands and settings operators type in. */
const operatorPages = pages.filter((page) => page.startsWith('docs/operating/') || page === 'docs/operator-command.md')
const findAll = (pattern) =>
  operatorPages.flatMap((page) => Array.from(read(page).matchAll(pattern), (match) => [page, ...match.slice(1)]))

/** Anchors of a page's headings, as GitHub and similar viewers form them. */
function anchorsOf(page) {
  const headings = read(page)
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .matchAll(/^#+ (.*)$/gm)
  return new Set(
    Array.from(headings, ([, heading]) =>
      heading
        .toLowerCase()
        .replaceAll(/\]\([^)]*\)/g, '')
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

function problemOf(page, link) {
  const [path, anchor] = link.split('#')
  const target = path === '' ? join(root, page) : resolve(root, dirname(page), path)
  if (!existsSync(target)) return `${page}: there is no ${link}`
  const file = statSync(target).isDirectory() ? join(target, 'README.md') : target
  if (anchor && !anchorsOf(relative(root, file)).has(anchor)) return `${page}: there is no heading ${link}`
}

test('every relative link of a page leads to an existing file or folder, and to an existing heading', () => {
  const links = pages.flatMap((page) => {
    const text = read(page).replaceAll(/^```[\s\S]*?^```|`[^`\n]*`/gm, '')
    return Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, link]) => [page, link])
  })
  const own = links.filter(([, link]) => !/^[a-z]+:/.test(link))
  expect(own.length).toBeGreaterThan(200)
  expect(own.map(([page, link]) => problemOf(page, link)).filter(Boolean)).toEqual([])
})

test('every decision has the sections Context, Decision, Considered and Consequence', () => {
  const decisions = pages.filter((page) => /^docs\/adr\/\d/.test(page))
  const sectionsOf = (page) => Array.from(read(page).matchAll(/^## (.*)$/gm), ([, title]) => title).join()
  expect(decisions.length).toBeGreaterThan(30)
  expect(decisions.filter((page) => sectionsOf(page) !== 'Context,Decision,Considered,Consequence')).toEqual([])
})

let runCli

async function helpOf(words) {
  let help = ''
  const add = (text) => {
    help += text
  }
  const terminal = { input: process.stdin, out: add, pipe: add, err: add, env: {} }
  await runCli([...words, '--help'], terminal)
  return help
}

async function problemOfCommand(page, line) {
  const words = line.split(' ').filter(Boolean)
  const names = words.slice(0, words.findIndex((word) => word.startsWith('-')) >>> 0)
  const depth = await depthOf(names)
  const help = await helpOf(names.slice(0, depth))
  const usage = help.split('\n')[0]
  const needsSubcommand = usage.includes('[command]') && !help.includes('(default);')
  if (names.length > 0 && (depth === 0 || needsSubcommand)) return `${page}: there is no command parley ${line}`
  if (names.length > depth && !/\[options\] .*[<[]/.test(usage)) return `${page}: parley ${line} takes no arguments`
  const options = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0])
  const unknown = options.find((option) => !new RegExp(`${option}[ ,\n]`).test(help))
  return unknown && `${page}: parley ${names.join(' ')} has no ${unknown}`
}

async function depthOf(names) {
  for (let depth = 0; depth < names.length; depth++) {
    const usage = (await helpOf(names.slice(0, depth + 1))).split('\n')[0]
    // A command may have two names: `set-password|reset-password`.
    if (!usage.split(' ')[depth + 2]?.split('|').includes(names[depth])) return depth
  }
  return names.length
}

beforeAll(async () => {
  runCli = (await import(inWorkspace('packages/cli/src/program.ts'))).runCli
})

test('every command in the pages for operators exists, with its options', async () => {
  const lines = findAll(
    /(?:pnpm parley|(?<!\w)`parley|operator\.mjs) ((?:[a-z][\w-]*|--[a-z-]+)(?: [\w@.:/-]+)*)(?! ?\.\.\.)/g,
  )
  expect(lines.length).toBeGreaterThan(20)
  const problems = await Promise.all(lines.map(([page, line]) => problemOfCommand(page, line)))
  expect(problems.filter(Boolean)).toEqual([])
  expect(await problemOfCommand('page', 'session finish --login alice')).toMatch('no command')
  expect(await problemOfCommand('page', 'session end --user alice')).toMatch('no --user')
})

test('every setting in the pages for operators is declared', async () => {
  const rows = (await declaredSettings()).flatMap((program) => program.rows)
  const variables = new Set(rows.flatMap(({ env }) => env.replaceAll('<n>', '0').split(', ')))
  // Variables that no program declares.
  const others = [/^PARLEY_CONFIG_FILE$/, /^PARLEY_COMPACT_DEPLOYABLES$/, /^PARLEY_IMAGE$/, /^PARLEY_SCREENSHOTS$/]
  const named = findAll(/\b(PARLEY_[A-Z0-9_]*[A-Z0-9])(?![A-Z0-9_<]|\.\.\.)/g)
  const unknown = named.filter(([, name]) => !variables.has(name) && !others.some((other) => other.test(name)))
  expect(named.length).toBeGreaterThan(100)
  expect(unknown).toEqual([])

  const keys = new Set(rows.map(({ toml }) => toml).filter(Boolean))
  const tables = new Set(Array.from(keys, (key) => key.split('.')[0]))
  const used = findAll(/`([a-z]+(?:\.[a-z0-9_]+)+)`/g).filter(([, key]) => tables.has(key.split('.')[0]))
  expect(used.length).toBeGreaterThan(20)
  expect(used.filter(([, key]) => !keys.has(key))).toEqual([])
})

test('every program and file of the repository that the pages for operators name exists', () => {
  const scripts = Object.keys(JSON.parse(read('package.json')).scripts)
  const targets = Array.from(read('Makefile').matchAll(/^([a-z-]+):/gm), ([, target]) => target)
  const started = findAll(/(?:`|^)(?:\.\/)?(pnpm|make|node) (\w[\w./-]*)/gm)
  const exists = { pnpm: (name) => scripts.includes(name), make: (name) => targets.includes(name) }
  const missing = started.filter(
    ([, program, name]) => !(exists[program] ?? ((file) => existsSync(join(root, file))))(name),
  )
  expect(started.length).toBeGreaterThan(10)
  expect(missing).toEqual([])

  const files = findAll(/`((?:packages|services|deploy|helm)\/[\w./-]+)`/g).filter(
    ([, file]) => !file.includes('/dist/'),
  )
  expect(files.length).toBeGreaterThan(5)
  expect(files.filter(([, file]) => !existsSync(join(root, file)))).toEqual([])
})
