// Runs before packages are installed, with any version of Node.js, and fails for a wrong one.
const { readFileSync } = require('node:fs')
const { join } = require('node:path')

const wanted = parseInt(readFileSync(join(__dirname, '../../../.node-version'), 'utf8'))
if (parseInt(process.versions.node) !== wanted) {
  console.error(
    `parley: this is Node.js ${process.versions.node}, Parley runs on ${wanted}: run make bootstrap, which gets it, and use ./pnpm in place of pnpm`,
  )
  process.exit(1)
}
