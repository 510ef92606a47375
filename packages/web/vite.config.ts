import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'
import { compressFiles } from './build/compress-files.ts'
import { emojiNames } from './build/emoji-names.ts'
import { entitiesFromTable } from './build/entities-from-table.ts'
import { leanContract } from './build/lean-contract.ts'
import { parseMessages } from './build/parse-messages.ts'

const workerModules = /\/(worker\/[\w-]+|store\/push-payload)\.ts$/
/** The SDK imports the contract of administration, but only the administration pages use it. */
const administrationModules = /\/(contracts\/src\/gen\/svc\/admin\/|client\/src\/admin-services)/

export default defineConfig({
  plugins: [svelte(), parseMessages(), emojiNames(), entitiesFromTable(), leanContract(), compressFiles()],
  resolve: {
    // Messages are parsed when the client is built, so its pages need no parser.
    alias: [
      { find: /^@formatjs\/icu-messageformat-parser$/, replacement: '@formatjs/icu-messageformat-parser/no-parser.js' },
    ],
  },
  build: {
    // `/assets/` is reserved for uploaded files.
    assetsDir: 'app',
    target: 'es2023',
    // Inlined files would need an exception in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: { index: 'index.html', 'push-worker': 'src/worker/push-worker.ts' },
      output: {
        // One file for everything up to the first room: on slow processors, several files take longer than one.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            {
              name: 'start',
              tags: ['$initial'],
              test: (id) => !workerModules.test(id) && !administrationModules.test(id),
            },
          ],
        },
        // A service worker must keep its URL, and its scope is limited to its folder.
        entryFileNames: ({ name }) => (name === 'push-worker' ? '[name].js' : 'app/[name]-[hash].js'),
      },
    },
  },
})
