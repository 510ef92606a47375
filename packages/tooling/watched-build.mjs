import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { context } from 'esbuild'
import { packageBundle } from './bundle-options.mjs'

export class WatchedBuild {
  #context
  #inputs = new Set()
  #hashes = new Map()
  /** Every edit triggers a rebuild after a failed build, because any file may repair it. */
  isBroken = false

  constructor(folder, buildContext) {
    this.folder = folder
    this.#context = buildContext
  }

  static async open(folder) {
    return new WatchedBuild(
      folder,
      await context({ ...packageBundle(folder), metafile: true, write: false, logLevel: 'silent' }),
    )
  }

  contains(file) {
    return this.#inputs.has(file)
  }

  /** Resolves with whether a program changed. Rejects, with `dist/` unchanged, if the build fails. */
  async rebuild() {
    this.isBroken = true
    const { metafile, outputFiles } = await this.#context.rebuild()
    this.isBroken = false
    this.#inputs = new Set(Object.keys(metafile.inputs).map((path) => resolve(this.folder, path)))
    const changed = []
    for (const file of outputFiles) {
      if (this.#hashes.get(file.path) === file.hash) continue
      this.#hashes.set(file.path, file.hash)
      if (await isWritten(file)) continue
      await mkdir(dirname(file.path), { recursive: true })
      await writeFile(file.path, file.contents)
      changed.push(file.path)
    }
    return changed.some((path) => path.endsWith('.js'))
  }

  async [Symbol.asyncDispose]() {
    await this.#context.dispose()
  }
}

async function isWritten({ path, contents }) {
  const written = await readFile(path).catch(() => undefined)
  return written?.equals(contents) ?? false
}
