import type { Plugin } from 'vite'

type Emoji = { unicode: string; label: string; tags?: string[] }

/** Reduces a list of emoji to what the client needs: characters, names and search keywords. */
export const emojiNames = (): Plugin => ({
  name: 'emoji-names',
  enforce: 'pre',
  transform: {
    filter: { id: /\/emojibase-data\/\w+\/compact\.json$/ },
    handler: (list) =>
      JSON.stringify((JSON.parse(list) as Emoji[]).map(({ unicode, label, tags }) => ({ unicode, label, tags }))),
  },
})
