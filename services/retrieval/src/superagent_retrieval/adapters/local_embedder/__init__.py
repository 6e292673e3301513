"""Embeddings without a network: multilingual-e5-small as an int8 ONNX graph in one child process.

`embedder` is what the service uses; `child` and `make` are programs of their own, so that neither onnxruntime nor onnx
is ever loaded into the service.
"""
