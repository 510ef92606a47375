import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'
import { compressed } from './build/compressed.ts'
import { parsedMessages } from './build/parsed-messages.ts'

/** A service worker stands alone. */
const ofWorker = /\/(worker\/push-worker|store\/pushed)\.ts$/
/** The SDK names the contract of administration, but only its pages use it. */
const ofAdministration = /\/(contracts\/src\/gen\/svc\/admin\/|client\/src\/admin-services)/

export default defineConfig({
  plugins: [svelte(), parsedMessages(), compressed()],
  resolve: {
    // Messages are parsed when the client is built, so its pages need no parser.
    alias: [
      { find: /^@formatjs\/icu-messageformat-parser$/, replacement: '@formatjs/icu-messageformat-parser/no-parser.js' },
    ],
  },
  build: {
    // `/assets/` belongs to the files that people upload.
    assetsDir: 'app',
    target: 'es2023',
    // A file inside a page would need a rule of its own in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: { index: 'index.html', 'push-worker': 'src/worker/push-worker.ts' },
      // A service worker keeps its address, and its folder is all that it may work for.
      output: {
        // What the first room needs is one file: each costs a slow processor more than its bytes.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: 'start', tags: ['$initial'], test: (id) => !ofWorker.test(id) && !ofAdministration.test(id) },
          ],
        },
        entryFileNames: ({ name }) => (name === 'push-worker' ? '[name].js' : 'app/[name]-[hash].js'),
      },
    },
  },
})
