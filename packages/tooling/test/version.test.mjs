import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { build } from 'esbuild'
import { parse } from 'yaml'
import { bundleOptions } from '../bundle-options.mjs'
import { inWorkspace } from '../steps.mjs'

test('bundles have the version of package.json', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-version-'))
  try {
    const source = 'packages/telemetry/src/version.ts'
    cpSync(inWorkspace(source), join(folder, source))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '9.8.7' }))
    const outfile = join(folder, 'bundle.mjs')
    await build({ ...bundleOptions, entryPoints: [join(folder, source)], outfile })
    const { serverVersion } = await import(outfile)
    expect(serverVersion).toBe('9.8.7')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the chart installs the image of the same version', () => {
  const { version } = JSON.parse(readFileSync(inWorkspace('package.json'), 'utf8'))
  const chart = parse(readFileSync(inWorkspace('helm/parley/Chart.yaml'), 'utf8'))
  expect(chart).toMatchObject({ version, appVersion: version })
})
