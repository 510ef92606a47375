/**
 * Makes a checkout ready to run: Node.js, pnpm, the packages, the build. Each step is skipped when there is nothing to
 * do. Runs on any Node.js from 18 on; everything after it runs on the one of .node-version. With the argument `tools`
 * only Node.js and pnpm are made ready; with `run` a used port is reported before the build.
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
