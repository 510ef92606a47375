import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { build } from 'esbuild'
import { parse } from 'yaml'
import { bundleOptions } from '../bundle-options.mjs'
import { inWorkspace } from '../steps.mjs'

const { version } = JSON.parse(readFileSync(inWorkspace('package.json'), 'utf8'))

async function bundledVersion(define) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-version-'))
  try {
    writeFileSync(join(folder, 'package.json'), '{ "version": "9.8.7" }')
    const outfile = join(folder, 'packages/telemetry/src/version.mjs')
    const entryPoints = [inWorkspace('packages/telemetry/src/version.ts')]
    await build({ ...bundleOptions, define, entryPoints, outfile })
    return (await import(outfile)).serverVersion
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('bundles have the version of their release, and sources the one in package.json', async () => {
  expect(bundleOptions.define).toEqual({ PARLEY_RELEASE: JSON.stringify(version) })
  expect(await bundledVersion({ PARLEY_RELEASE: '"1.2.3"' })).toBe('1.2.3')
  expect(await bundledVersion({})).toBe('9.8.7')
})

test('the chart and the image that it installs have the version in package.json', () => {
  const chart = parse(readFileSync(inWorkspace('helm/parley/Chart.yaml'), 'utf8'))
  expect(chart).toMatchObject({ version, appVersion: version })
})
