const types =
  /^(text\/(?!html)|application\/([\w.-]+\+)?(json|xml|yaml|x-yaml|toml|sql|javascript|typescript|x-sh|x-httpd-php)\b)/
const extensions =
  /\.(c|cc|cpp|cs|css|csv|diff|go|h|hpp|ini|java|js|json|jsx|kt|log|lua|md|mjs|patch|php|pl|proto|py|rb|rs|sh|sql|svelte|swift|toml|ts|tsx|txt|vue|xml|ya?ml|zig)$/i

/** Whether a file can be displayed as text, by its type or its name. Browsers do not know most types of code. */
export const isText = ({ contentType, filename }: { contentType: string; filename: string }): boolean =>
  types.test(contentType) || extensions.test(filename)

/** In lower case; empty if the name has no extension. */
export const extensionOf = (filename: string): string => /\.(\w+)$/.exec(filename)?.[1]?.toLowerCase() ?? ''
