/** Pieces of a document as they are shown: under the passages that answers read. */
import type { Schemas } from "@/api/client";

export type Piece = Schemas["PreviewChunk"];

export interface Passage {
  position: number;
  heading: readonly string[];
  page: number | null;
  pieces: Piece[];
}

/** Pieces in reading order under their passages; each passage says the heading and the page where it begins. */
export function passagesOf(pieces: readonly Piece[]): Passage[] {
  const passages: Passage[] = [];
  for (const piece of pieces) {
    const last = passages.at(-1);
    if (last?.position === piece.parent_position) last.pieces.push(piece);
    else
      passages.push({
        position: piece.parent_position,
        heading: piece.heading_path,
        page: piece.page ?? null,
        pieces: [piece],
      });
  }
  return passages;
}

/** A piece's text: what it repeats, and what is its own. The service counts characters, not UTF-16 units. */
export function parted({ text, repeated_characters: repeated }: Piece): {
  repeated: string;
  own: string;
  length: number;
} {
  const characters = [...text];
  return {
    repeated: characters.slice(0, repeated).join(""),
    own: characters.slice(repeated).join(""),
    length: characters.length,
  };
}
