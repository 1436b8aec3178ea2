internal import JobEngine

extension Engine: EngineService {}
