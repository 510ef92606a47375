/** `node packages/tooling/deploy/image-files.mjs <folder>` collects the files of the image, after a build. */
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { inWorkspace } from '../steps.mjs'
import { deployableNames, propertiesOf } from './manifest.mjs'

// Packages that the fleet uses but that build.mjs does not bundle.
const unbundled = ['uWebSockets.js', '@node-rs/argon2', 'sharp']

export const deployables = deployableNames.toSorted()

export const hasDatabase = (name) => propertiesOf(name).database === true

export const videoWorker = 'services/uploads/dist/video-worker/main.js'

export const compact = { main: 'packages/compact/dist/main.js', migrate: 'packages/compact/dist/migrate.js' }

export function programs() {
  const entries = deployables.flatMap((name) => [
    `services/${name}/dist/main.js`,
    ...(hasDatabase(name) ? [`services/${name}/dist/migrate.js`] : []),
    `services/${name}/dist/print-config.js`,
    `services/${name}/dist/doctor.js`,
  ])
  return [
    ...entries,
    compact.main,
    compact.migrate,
    videoWorker,
    'packages/cli/dist/main.js',
    'operator.mjs',
    'test-proxies.mjs',
  ]
}

/** `folder` must be empty. */
export async function layOutImage(folder) {
  for (const part of [
    ...deployables.map((name) => `services/${name}`),
    'packages/cli',
    'packages/compact',
    'packages/web',
  ]) {
    await copyPart(part, folder)
  }
  for (const file of ['operator.mjs', 'test-proxies.mjs']) await cp(inWorkspace(`deploy/${file}`), join(folder, file))
  await cp(inWorkspace('LICENSE'), join(folder, 'LICENSE'))
}

async function copyPart(part, folder) {
  const from = inWorkspace(part)
  if (!existsSync(join(from, 'dist'))) throw new Error(`${part} is not built: run pnpm build`)
  await mkdir(join(folder, part), { recursive: true })
  for (const name of ['package.json', 'dist', 'drizzle']) {
    if (!existsSync(join(from, name))) continue
    await cp(join(from, name), join(folder, part, name), {
      recursive: true,
      filter: (path) => !path.endsWith('.map') && !path.endsWith('_snapshot.json'),
    })
  }
  const { dependencies } = await readPackageJson(from)
  for (const name of unbundled.filter((candidate) => candidate in dependencies)) {
    await copyPackage(join(from, 'node_modules', name), name, join(folder, 'node_modules'))
  }
}

/** pnpm links the dependencies of a package into the folder that contains the package. */
async function copyPackage(at, name, modules) {
  const from = await realpath(at)
  const to = join(modules, name)
  const { version, dependencies, optionalDependencies } = await readPackageJson(from)
  if (existsSync(to)) {
    const there = (await readPackageJson(to)).version
    if (there !== version)
      throw new Error(`${name} is needed in the versions ${there} and ${version}, but an image can contain only one`)
    return
  }
  await cp(from, to, {
    recursive: true,
    filter: (path) => basename(path) !== 'node_modules' && !isForOtherSystem(path),
  })
  const folder = name.startsWith('@') ? dirname(dirname(from)) : dirname(from)
  for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
    if (existsSync(join(folder, needed))) await copyPackage(join(folder, needed), needed, modules)
  }
}

/** Whether a file is a binary of uWebSockets.js for another system than that of the image. */
export function isForOtherSystem(path) {
  const ours = `_${process.platform}_${process.arch}_${process.versions.modules}.node`
  return /_[a-z0-9]+_[a-z0-9]+_\d+\.node$/.test(path) && !path.endsWith(ours)
}

const readPackageJson = async (folder) => JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))

if (process.argv[1] === import.meta.filename) {
  const folder = process.argv[2]
  if (!folder) throw new Error('usage: image-files.mjs <folder>')
  await layOutImage(resolve(folder))
}
