/**
 * A README as the page of a package: pictures of the checkout are left out, and links into it lead to where it is published,
 * or, while it is nowhere, are their words alone.
 */
export function description(readme: string, published?: string): string {
  return readme
    .replace(/^!\[[^\]]*\]\((?!https?:)[^)]*\)\n+/gm, '')
    .replace(/\[([^\]]+)\]\((?!https?:|#)([^)]+)\)/g, (_, words: string, path: string) =>
      published ? `[${words}](${published}/${path})` : words,
    );
}
