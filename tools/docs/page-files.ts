/** Files that a page has its reader save, by name: code blocks whose first line is a comment with the file's name alone. */
export function pageFiles(markdown: string): Record<string, string> {
  const blocks = markdown.matchAll(/^```(?:js|ts|json)\n(\/\/ ([\w.-]+\.(?:mjs|ts|json))\n[\s\S]*?)^```$/gm)
  return Object.fromEntries([...blocks].map(([, text = '', name = '']) => [name, text]))
}
