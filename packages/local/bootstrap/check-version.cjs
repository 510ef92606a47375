// Runs before packages are installed, with any version of Node.js, and fails for a wrong one.
const { readFileSync } = require('node:fs')
const { join } = require('node:path')

const wanted = parseInt(readFileSync(join(__dirname, '../../../.node-version'), 'utf8'))
if (parseInt(process.versions.node) !== wanted) {
  console.error(
    `parley: this is Node.js ${process.versions.node}, but Parley needs ${wanted}: run make bootstrap, which installs it for this checkout, and use ./pnpm instead of pnpm`,
  )
  process.exit(1)
}
