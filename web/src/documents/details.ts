/** What a person says of documents that are about to come, and how the API takes it. */
import type { Schemas } from "@/api/client";

/** Said of all documents of a batch; empty means not said. */
export interface Details {
  domain_code: string;
  tags: string[];
  org_tag: string;
  is_public: boolean;
  language: "" | "zh" | "en";
  /** Whether the person wants to see the pieces before they become searchable. */
  review_strategy: boolean;
}

export const NO_DETAILS: Details = {
  domain_code: "",
  tags: [],
  org_tag: "",
  is_public: false,
  language: "",
  review_strategy: false,
};

type Said = Pick<
  Schemas["ImportBody"],
  "domain_code" | "tags" | "org_tag" | "is_public" | "language" | "review_strategy"
>;

/** Details as the API takes them. */
export function said(details: Details): Said {
  return {
    is_public: details.is_public,
    review_strategy: details.review_strategy,
    ...(details.domain_code && { domain_code: details.domain_code }),
    ...(details.tags.length > 0 && { tags: details.tags }),
    ...(details.org_tag && { org_tag: details.org_tag }),
    ...(details.language && { language: details.language }),
  };
}
