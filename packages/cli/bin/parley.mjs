#!/usr/bin/env node
import { existsSync } from 'node:fs'

const main = new URL('../dist/main.js', import.meta.url)
if (existsSync(main)) await import(main.href)
else {
  process.stderr.write('parley: this checkout is not built yet; run make bootstrap\n')
  process.exitCode = 3
}
