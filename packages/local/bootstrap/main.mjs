/**
 * Makes a checkout ready to run: Node.js, pnpm, the packages, the build. Each step is skipped when there is nothing to
 * do. Runs on any Node.js from 18 on; everything after it runs on the one of .node-version. With the argument `tools`
 * only Node.js and pnpm are made ready.
 */
import { checkoutMutex } from './checkout-mutex.mjs'
import { fail, Failure, say } from './console.mjs'
import { build, installPackages } from './packages.mjs'
import { areToolsLinked, linkTools, prepareNode, preparePnpm, tellNode } from './tools.mjs'

const onlyTools = process.argv[2] === 'tools'
try {
  if (!onlyTools || !areToolsLinked()) {
    const release = await checkoutMutex(() =>
      say('waiting for another start in this checkout to finish its installation'),
    )
    const [node, pnpm] = [prepareNode(), preparePnpm()]
    linkTools(node, pnpm)
    if (!onlyTools) {
      tellNode()
      installPackages()
      // pnpm may have made node_modules anew.
      linkTools(node, pnpm)
      build()
    }
    release()
  }
} catch (error) {
  if (!(error instanceof Failure)) throw error
  fail(error.message)
}
