/**
 * Prepares a checkout: Node.js, pnpm, the packages, the build. A step with nothing to do is skipped. This program runs
 * on Node.js 18 or newer; everything it starts runs on the version of .node-version. With the argument `tools` it
 * prepares only Node.js and pnpm; with `run` it reports a used port before the build.
 */
import { existsSync } from 'node:fs'
import { checkoutMutex } from './checkout-mutex.mjs'
import { endBecauseOf, say } from './console.mjs'
import { build, installPackages } from './packages.mjs'
import { root } from './places.mjs'
import { refuseUsedPort } from './port.mjs'
import { areToolsLinked, linkTools, prepareNode, preparePnpm, reportNode } from './tools.mjs'

const onlyTools = process.argv[2] === 'tools'
try {
  if (process.argv[2] === 'run' && !existsSync(`${root}/packages/local/dist/main.js`)) await refuseUsedPort()
  if (!onlyTools || !areToolsLinked()) {
    const release = await checkoutMutex(() =>
      say('waiting for another start in this checkout to finish its installation'),
    )
    const node = await prepareNode()
    const pnpm = await preparePnpm(node)
    linkTools(node, pnpm)
    if (!onlyTools) {
      reportNode()
      await installPackages()
      // pnpm may have recreated node_modules.
      linkTools(node, pnpm)
      await build()
    }
    release()
  }
} catch (error) {
  endBecauseOf(error)
}
