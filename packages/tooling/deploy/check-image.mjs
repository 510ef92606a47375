import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inWorkspace } from '../steps.mjs'
import { compact, layOutImage, programs } from './image-files.mjs'

/** Every program of the image must start in a folder with only the files of the image. */
export async function checkImage() {
  const problems = await problemsOfDockerfile()
  const bundles = (await programs()).filter((program) => program.includes('/dist/'))
  if (!bundles.every((bundle) => existsSync(inWorkspace(bundle)))) {
    return { problems, skipped: ['starting the programs of the image: they are not built (pnpm build)'] }
  }
  const folder = await mkdtemp(join(tmpdir(), 'parley-image-'))
  try {
    await layOutImage(folder)
    if (!existsSync(join(folder, 'packages/web/dist/index.html'))) problems.push('the image has no web client')
    for (const program of await programs()) problems.push(...(await problemsOfProgram(folder, program)))
  } finally {
    await rm(folder, { recursive: true })
  }
  return { problems, skipped: [] }
}

async function problemsOfDockerfile() {
  const text = await readFile(inWorkspace('deploy/Dockerfile'), 'utf8')
  const steps = text.replaceAll(/^\s*#.*\n/gm, '').replaceAll(/\\\n\s*/g, '')
  const problems = []
  const must = (holds, problem) => holds || problems.push(`deploy/Dockerfile: ${problem}`)

  must(/^ARG BASE_IMAGE=debian:[a-z]+-slim$/m.test(steps), 'the base is not a release of Debian')
  must(
    steps.includes('RUN chmod 711 /usr/local/bin/node'),
    'other programs of the same user can read the environment of Node.js',
  )
  must(steps.includes('cp -L node_modules/.parley/bin/node'), 'Node.js is not the version in .node-version')
  must(
    [...steps.matchAll(/^FROM (\S+)/gm)].every(([, base]) => base === '${BASE_IMAGE}'),
    'a stage has another base',
  )
  const last = steps.slice(steps.lastIndexOf('\nFROM '))
  must(/^USER [1-9]\d*:[1-9]\d*$/m.test(last), 'USER is not a numeric user and group, or is root')
  must(/^ENTRYPOINT \["node"\]$/m.test(last), 'the entry point is not node')
  must((await programs()).includes(/^CMD \["(.*)"\]$/m.exec(last)?.[1]), 'CMD is not a program of the image')

  const ignored = await ignoredByDocker()
  for (const [, options, words] of steps.matchAll(/^COPY ((?:--\S+ )*)(.+)$/gm)) {
    if (options.includes('--from=')) continue
    const sources = words.split(' ').slice(0, -1)
    for (const source of sources) {
      must(existsSync(inWorkspace(source)), `${source} is copied, but does not exist`)
      must(!ignored(source), `${source} is copied, but .dockerignore excludes it`)
    }
  }
  for (const [script] of steps.matchAll(/packages\/tooling\/\S+\.mjs/g)) {
    must(existsSync(inWorkspace(script)), `${script} is run, but does not exist`)
  }
  // Files that layOutImage and the build read must reach the build.
  for (const needed of [
    'deploy/operator.mjs',
    'deploy/test-proxies.mjs',
    'LICENSE',
    'turbo.json',
    'tsconfig.base.json',
    'proto',
    'packages',
  ]) {
    must(!ignored(needed), `.dockerignore excludes ${needed}, which the build needs`)
  }
  must(['node_modules', '.git', '.env'].every(ignored), '.dockerignore does not exclude node_modules, .git and .env')
  return problems
}

/**
 * Implements the part of .dockerignore that this repository uses: no exceptions, and stars only for whole names or
 * extensions.
 */
async function ignoredByDocker() {
  const lines = (await readFile(inWorkspace('.dockerignore'), 'utf8')).split('\n')
  const patterns = lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) =>
      line
        .replaceAll('.', '\\.')
        .replace(/^\*\*\//, '(.*/)?')
        .replaceAll(/(?<!\.)\*/g, '[^/]*'),
    )
    .map((pattern) => new RegExp(`^${pattern}(/|$)`))
  return (path) => patterns.some((pattern) => pattern.test(path))
}

/**
 * Runs a program without configuration. A deployable, the compact process and their migrations must name the missing
 * settings and exit with 78; print-config and doctor must name them and exit with 0; commands must print help.
 */
async function problemsOfProgram(folder, program) {
  const isService = program.startsWith('services/') || Object.values(compact).includes(program)
  const kind = isService ? program.split('/').at(-1) : 'command'
  const expected = { 'main.js': 78, 'migrate.js': 78, 'print-config.js': 0, 'doctor.js': 0, command: 0 }[kind]
  const says = kind === 'command' ? 'Usage: ' : 'PARLEY_'
  const { code, output } = await run(folder, kind === 'command' ? [program, '--help'] : [program])
  const problems = []
  if (code !== expected || !output.includes(says)) {
    problems.push(`${program} of the image ends with ${code} instead of ${expected}:\n${output.slice(0, 2000)}`)
  }
  const migrations = join(folder, program, '../../drizzle/meta/_journal.json')
  if (kind === 'migrate.js' && program !== compact.migrate && !existsSync(migrations))
    problems.push(`${program} of the image has no migrations`)
  return problems
}

function run(cwd, args) {
  const env = { TMPDIR: tmpdir() }
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, env, timeout: 20_000 })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}
