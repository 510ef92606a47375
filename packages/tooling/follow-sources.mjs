import { basename } from 'node:path'
import { formatMessagesSync } from 'esbuild'
import { watchTree } from './watch-tree.mjs'
import { WatchedBuild } from './watched-build.mjs'

/** How long to wait for further edits before a build: editors write a file in several steps. */
const settleMs = 40

/**
 * `onBuilt` gets the name of each package whose bundles changed, and the milliseconds since the edit; `onBroken` gets
 * the name of each package whose build failed, and the compiler's message.
 */
export async function followSources({ folders, sources, onBuilt, onBroken }) {
  const builds = await Promise.all(folders.map((folder) => WatchedBuild.open(folder)))
  const edited = new Set()
  let since = 0
  let timer
  let working = Promise.resolve()

  const rebuild = async (affected, began) => {
    await Promise.all(
      affected.map(async (build) => {
        const name = basename(build.folder)
        try {
          if (await build.rebuild()) onBuilt(name, performance.now() - began)
        } catch (error) {
          onBroken(name, whyBroken(error))
        }
      }),
    )
  }
  const settle = () => {
    const [files, began] = [[...edited], since]
    edited.clear()
    const isAffected = (build) => build.isBroken || files.some((file) => build.contains(file))
    working = working.then(() => rebuild(builds.filter(isAffected), began))
  }
  const watchers = sources.map((folder) =>
    watchTree(folder, (file) => {
      if (edited.size === 0) since = performance.now()
      edited.add(file)
      clearTimeout(timer)
      timer = setTimeout(settle, settleMs)
    }),
  )
  // Build once now, for edits since the last build and to learn the sources of each package.
  working = rebuild(builds, performance.now())
  await working
  return {
    async [Symbol.asyncDispose]() {
      for (const watcher of watchers) watcher[Symbol.dispose]()
      clearTimeout(timer)
      await working
      await Promise.all(builds.map((build) => build[Symbol.asyncDispose]()))
    },
  }
}

function whyBroken(error) {
  const color = process.stdout.isTTY === true
  return error.errors ? formatMessagesSync(error.errors, { kind: 'error', color }).join('').trimEnd() : String(error)
}
