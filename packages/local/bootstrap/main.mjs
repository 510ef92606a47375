/**
 * Prepares a checkout: Node.js, pnpm, the packages, the build. This program and npm run on Node.js 18 or newer;
 * everything else that it starts runs on the version in .node-version or a later minor version. The argument `tools`
 * prepares only Node.js and pnpm; `run` checks before the first build that the public port is free.
 */
import { existsSync } from 'node:fs'
import { lockCheckout } from './lock-checkout.mjs'
import { endBecauseOf, say } from './console.mjs'
import { build, installPackages } from './packages.mjs'
import { root } from './paths.mjs'
import { refuseUsedPort } from './port.mjs'
import { areToolsLinked, linkTools, prepareNode, preparePnpm, reportNode } from './tools.mjs'

const onlyTools = process.argv[2] === 'tools'
try {
  if (process.argv[2] === 'run' && !existsSync(`${root}/packages/local/dist/main.js`)) await refuseUsedPort()
  if (!onlyTools || !areToolsLinked()) {
    const release = await lockCheckout(() => say('waiting for another bootstrap of this checkout to finish'))
    const node = await prepareNode()
    const pnpm = await preparePnpm(node)
    linkTools(node, pnpm)
    if (!onlyTools) {
      reportNode()
      await installPackages()
      linkTools(node, pnpm)
      await build()
    }
    release()
  }
} catch (error) {
  endBecauseOf(error)
}
