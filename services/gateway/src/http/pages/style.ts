export const style = `
:root { color-scheme: light dark; --ground: #ffffff; --text: #1d1f23; --accent: #2856c4; }
@media (prefers-color-scheme: dark) { :root { --ground: #1a1c20; --text: #e6e7ea; --accent: #8aabff; } }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 26rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
a { color: var(--accent); }
`
